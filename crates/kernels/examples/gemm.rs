//! Speed of the kernels on this machine, one core: `cargo run --release -p csanmt-kernels --example
//! gemm [isa] [product|stream|rows|attend]`. Rates in 10^9 multiply-adds (or bytes) per second, beside the
//! rate of the same instructions on registers alone.

use std::hint::black_box;
use std::time::{Duration, Instant};

use csanmt_kernels::{
    Attention, AttentionScratch, Epilogue, Isa, Kernels, PackedWeights, QuantizedRows, Relative,
    Rows, Top,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let isa = arguments
        .iter()
        .find_map(|argument| argument.parse::<Isa>().ok());
    let wants = |part: &str| {
        let parts = ["product", "stream", "rows", "attend"];
        arguments.iter().any(|a| a == part)
            || !arguments.iter().any(|a| parts.contains(&a.as_str()))
    };
    let mut chosen = Kernels::available();
    chosen.retain(|kernels| isa.is_none_or(|isa| kernels.isa() == isa));
    for kernels in chosen {
        println!(
            "\n{} (registers alone: {:.0} GMAC/s)",
            kernels.isa(),
            peak(kernels.isa())
        );
        if wants("product") {
            products(kernels);
        }
        if wants("stream") {
            streams(kernels);
        }
        if wants("rows") {
            rows(kernels);
        }
        if wants("attend") {
            attention(kernels);
        }
    }
}

/// Best seconds per call of several short runs.
fn seconds(mut f: impl FnMut()) -> f64 {
    f();
    let mut best = f64::MAX;
    for _ in 0..40 {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_micros(600) {
            f();
            calls += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(calls));
    }
    best
}

/// As [`seconds`], of two things by turns: what else the machine does slows both.
fn seconds_in_turn(mut f: [&mut dyn FnMut(); 2]) -> [f64; 2] {
    let mut best = [f64::MAX; 2];
    for _ in 0..40 {
        for (f, best) in f.iter_mut().zip(&mut best) {
            let start = Instant::now();
            f();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

struct Layer {
    /// The weights start at `start`, a multiple of 64 in memory as in a model file.
    data: Vec<i8>,
    start: usize,
    n: usize,
    k: usize,
    scale: Vec<f32>,
    colsum: Vec<i32>,
}

impl Layer {
    fn new(k: usize, n: usize) -> Self {
        let len = PackedWeights::packed_len(n, k);
        let data: Vec<i8> = (0..len + 64)
            .map(|i| ((i * 7919 % 255) as u8 as i8).max(-127))
            .collect();
        let start = data.as_ptr().align_offset(64);
        Self {
            data,
            start,
            n,
            k,
            scale: vec![0.01; n],
            colsum: vec![3; n],
        }
    }

    fn bytes(&self) -> usize {
        PackedWeights::packed_len(self.n, self.k)
    }

    fn view(&self) -> PackedWeights<'_> {
        let data = &self.data[self.start..][..self.bytes()];
        PackedWeights::new(data, self.n, self.k, &self.scale, &self.colsum).expect("lengths fit")
    }
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count)
        .map(|i| (i * 7919 % 1000) as f32 / 500.0 - 1.0)
        .collect()
}

fn products(kernels: Kernels) {
    println!(
        "{:>12}  {}",
        "K x N",
        [1, 4, 8, 16, 64]
            .map(|m| format!("{:>8}", format!("M={m}")))
            .concat()
    );
    for (k, n) in [
        (256, 768),
        (256, 1024),
        (1024, 256),
        (256, 8208),
        (512, 2048),
    ] {
        let layer = Layer::new(k, n);
        let rates = [1, 4, 8, 16, 64].map(|m| {
            let mut a = QuantizedRows::default();
            kernels.quantize_rows(&numbers(m * k), k, &mut a);
            let (bias, mut out) = (vec![0.5; n], vec![0.0; m * n]);
            let time = seconds(|| {
                kernels.linear_i8(
                    black_box(&a),
                    layer.view(),
                    Epilogue::Store { bias: Some(&bias) },
                    &mut out,
                );
            });
            format!("{:8.1}", (m * k * n) as f64 / time / 1e9)
        });
        println!("{:>12}  {}", format!("{k} x {n}"), rates.concat());
    }
    let (k, n) = (256, 8208);
    let layer = Layer::new(k, n);
    let rates = [1, 4, 8, 16, 64].map(|m| {
        let mut a = QuantizedRows::default();
        kernels.quantize_rows(&numbers(m * k), k, &mut a);
        let mut tops = vec![Top::default(); m];
        let time = seconds(|| {
            tops.iter_mut().for_each(|top| top.start(4, []));
            kernels.top_of_product(black_box(&a), layer.view(), &mut tops);
        });
        format!("{:8.1}", (m * k * n) as f64 / time / 1e9)
    });
    println!("{:>12}  {}", "its largest", rates.concat());
}

/// Few rows over weights larger than the caches: bytes of weights per second, and of reading the same
/// bytes in turn with it.
fn streams(kernels: Kernels) {
    // 16 MB may stay in a last-level cache, 128 MB do not.
    for count in [16, 128] {
        let layers: Vec<Layer> = (0..count).map(|_| Layer::new(512, 2064)).collect();
        let bytes = (count * layers[0].bytes()) as f64;
        print!("GB/s of weights streamed from {count} MB, and read:");
        for m in [1, 2, 3, 4, 5, 6, 8, 12] {
            let mut a = QuantizedRows::default();
            kernels.quantize_rows(&numbers(m * 512), 512, &mut a);
            let mut out = vec![0.0; m * 2064];
            let [product, read] = seconds_in_turn([
                &mut || {
                    for layer in &layers {
                        kernels.linear_i8(
                            black_box(&a),
                            layer.view(),
                            Epilogue::Store { bias: None },
                            &mut out,
                        );
                    }
                },
                &mut || {
                    for layer in &layers {
                        sum(black_box(&layer.data[layer.start..][..layer.bytes()]));
                    }
                },
            ]);
            print!(
                " M={m} {:.1}/{:.1}",
                bytes / product / 1e9,
                bytes / read / 1e9
            );
        }
        println!();
    }
}

fn rows(kernels: Kernels) {
    let (width, count) = (512, 64);
    let x = numbers(width * count);
    let (scale, offset) = (numbers(width), numbers(width));
    let (mut q, mut out) = (QuantizedRows::default(), x.clone());
    let report = |name: &str, elements: usize, time: f64| {
        println!(
            "{name:>22}: {:6.2} elements/ns",
            elements as f64 / time / 1e9
        );
    };
    report(
        "quantize_rows",
        x.len(),
        seconds(|| kernels.quantize_rows(black_box(&x), width, &mut q)),
    );
    report(
        "layer_norm",
        x.len(),
        seconds(|| kernels.layer_norm(black_box(&x), &scale, &offset, &mut out)),
    );
    let time = seconds(|| kernels.layer_norm_quantize(black_box(&x), &scale, &offset, &mut q));
    report("layer_norm_quantize", x.len(), time);
    report("exp", x.len(), seconds(|| kernels.exp(black_box(&mut out))));
    report(
        "softmax",
        40,
        seconds(|| kernels.softmax(black_box(&mut out[..40]))),
    );
    let time = seconds(|| csanmt_kernels::self_test::run(black_box(kernels)).expect("no mismatch"));
    println!("             self-test: {:.2} ms", time * 1e3);
    let logits = numbers(8208);
    let mut top = Top::default();
    let time = seconds(|| {
        top.start(8, []);
        kernels.top_of_row(black_box(&logits), &mut top);
        black_box(&top);
    });
    report("top_of_row", logits.len(), time);
}

fn attention(kernels: Kernels) {
    for (heads, d) in [(4, 64), (8, 64)] {
        let (keys, width) = (30, heads * d);
        let (table, cache) = (numbers(33 * d), numbers(keys * width * 2));
        for relative in [false, true] {
            let relative = relative.then_some(Relative {
                keys: &table,
                values: &table,
                max_distance: 16,
            });
            let attention = Attention {
                heads,
                keys: &cache,
                values: &cache[width..],
                stride: 2 * width,
                head_stride: width / heads,
                rows: Rows::Range {
                    start: 0,
                    len: keys,
                },
                valid: None,
                relative,
            };
            let mut scratch = AttentionScratch::default();
            let (q, mut out) = (numbers(width), vec![0.0; width]);
            let time = seconds(|| {
                kernels.attend(
                    black_box(&q),
                    20,
                    &attention,
                    &mut scratch,
                    &mut out[..width],
                );
            });
            let rows = 30;
            let q = numbers(rows * width);
            let mut many = vec![0.0; rows * width];
            let time_rows = seconds(|| {
                kernels.attend_rows(
                    black_box(&q),
                    width,
                    width,
                    0,
                    &attention,
                    &mut scratch,
                    &mut many,
                );
            });
            let with = if relative.is_some() { ", relative" } else { "" };
            println!(
                "attend {heads} x {d}, {keys} keys{with}: {:.2} us, {:.2} us a row of {rows}",
                time * 1e6,
                time_rows / rows as f64 * 1e6
            );
        }
    }
}

/// Reads all bytes: the least that a product with weights in memory takes.
fn sum(bytes: &[i8]) {
    // 32 sums, so that additions do not bound the loop.
    let mut sums = [0u64; 32];
    for chunk in bytes.as_chunks::<256>().0 {
        for (sum, x) in sums.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_ne_bytes(x.map(|x| x as u8)));
        }
    }
    black_box(sums);
}

#[cfg(not(target_arch = "x86_64"))]
fn peak(_: Isa) -> f64 {
    f64::NAN
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[allow(clippy::needless_range_loop)]
fn peak(isa: Isa) -> f64 {
    use std::arch::asm;
    use std::arch::x86_64::*;
    const STEPS: usize = 10_000;

    #[target_feature(enable = "avx2")]
    fn avx2(seed: i32) -> i32 {
        let (mut a, w, ones) = (
            _mm256_set1_epi32(seed),
            _mm256_set1_epi32(seed ^ 0x0101),
            _mm256_set1_epi16(1),
        );
        let mut sums = [_mm256_setzero_si256(); 8];
        for _ in 0..STEPS {
            for i in 0..8 {
                // SAFETY: no instructions.
                unsafe { asm!("/* {0} */", inout(ymm_reg) a) };
                sums[i] =
                    _mm256_add_epi32(sums[i], _mm256_madd_epi16(_mm256_maddubs_epi16(a, w), ones));
            }
        }
        sums.into_iter()
            .fold(0, |x, sum| x ^ _mm256_extract_epi32::<0>(sum))
    }
    #[target_feature(enable = "avx2,avxvnni")]
    fn avxvnni(seed: i32) -> i32 {
        let (mut a, w) = (_mm256_set1_epi32(seed), _mm256_set1_epi32(seed ^ 0x0101));
        let mut sums = [_mm256_setzero_si256(); 12];
        for _ in 0..STEPS {
            for i in 0..12 {
                // SAFETY: no instructions.
                unsafe { asm!("/* {0} */", inout(ymm_reg) a) };
                sums[i] = _mm256_dpbusd_avx_epi32(sums[i], a, w);
            }
        }
        sums.into_iter()
            .fold(0, |x, sum| x ^ _mm256_extract_epi32::<0>(sum))
    }
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn avx512vnni(seed: i32) -> i32 {
        let (mut a, w) = (_mm512_set1_epi32(seed), _mm512_set1_epi32(seed ^ 0x0101));
        let mut sums = [_mm512_setzero_si512(); 12];
        for _ in 0..STEPS {
            for i in 0..12 {
                // SAFETY: no instructions.
                unsafe { asm!("/* {0} */", inout(zmm_reg) a) };
                sums[i] = _mm512_dpbusd_epi32(sums[i], a, w);
            }
        }
        sums.into_iter().fold(0, |x, sum| {
            x ^ _mm_cvtsi128_si32(_mm512_castsi512_si128(sum))
        })
    }
    let seed = black_box(0x0203_0405);
    // SAFETY: `isa` comes from kernels that this CPU can run.
    let (macs, time) = unsafe {
        match isa {
            Isa::Avx2 => (8 * 32, seconds(|| _ = black_box(avx2(seed)))),
            Isa::AvxVnni => (12 * 32, seconds(|| _ = black_box(avxvnni(seed)))),
            // Of AMX: what the same core does without its tiles.
            Isa::Avx512Vnni | Isa::Amx => (12 * 64, seconds(|| _ = black_box(avx512vnni(seed)))),
            _ => return f64::NAN,
        }
    };
    (macs * STEPS) as f64 / time / 1e9
}
