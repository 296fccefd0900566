/**
 * The same as `csanmt`, with the engine loaded at once: for service workers, which have no workers
 * and cannot load a module when it is needed. There the engine runs on the thread of the caller.
 */

import { EngineHost } from "./engine-host.js";
import { provideInlineHost } from "./thread.js";

provideInlineHost(EngineHost);

export * from "./index.js";
