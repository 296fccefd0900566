"""Published clients of other servers, unmodified, against `csanmt serve`.

Run by `cargo test -p csanmt-cli --test clients`, which sets CSANMT_URL (a server that wants the
token s3cret) and CSANMT_EXPECTED (its translation of TEXT).
"""

import os
import unittest
import urllib.error

import deepl
from libretranslatepy import LibreTranslateAPI

URL = os.environ["CSANMT_URL"]
EXPECTED = os.environ["CSANMT_EXPECTED"]
TEXT = "我们今天去学校。"
TOKEN = "s3cret"


class LibreTranslate(unittest.TestCase):
    def setUp(self):
        self.client = LibreTranslateAPI(URL, api_key=TOKEN)

    def test_translates(self):
        for source in ["zh", "zh-Hans", "auto"]:
            self.assertEqual(self.client.translate(TEXT, source, "en"), EXPECTED)

    def test_detects(self):
        self.assertEqual(self.client.detect(TEXT)[0]["language"], "zh-Hans")

    def test_lists_languages(self):
        languages = {language["code"]: language for language in self.client.languages()}
        self.assertIn("en", languages["zh-Hans"]["targets"])

    def test_errors_are_those_it_knows(self):
        with self.assertRaises(urllib.error.HTTPError) as raised:
            self.client.translate(TEXT, "zh", "xx")
        self.assertEqual(raised.exception.code, 400)
        with self.assertRaises(urllib.error.HTTPError) as raised:
            LibreTranslateAPI(URL, api_key="wrong").translate(TEXT, "zh", "en")
        self.assertEqual(raised.exception.code, 403)


class DeepL(unittest.TestCase):
    def setUp(self):
        self.client = deepl.DeepLClient(TOKEN, server_url=URL)

    def test_translates_one_text_and_several(self):
        result = self.client.translate_text(TEXT, target_lang="EN-US")
        self.assertEqual(result.text, EXPECTED)
        self.assertEqual(result.detected_source_lang, "ZH")
        self.assertEqual(result.billed_characters, len(TEXT))
        results = self.client.translate_text([TEXT, TEXT], source_lang="ZH", target_lang="EN-GB")
        self.assertEqual([result.text for result in results], [EXPECTED, EXPECTED])

    def test_lists_languages(self):
        self.assertEqual([str(one) for one in self.client.get_source_languages()], ["ZH"])
        targets = [str(one) for one in self.client.get_target_languages()]
        self.assertEqual(targets, ["EN-US", "EN-GB"])

    def test_shows_usage(self):
        usage = self.client.get_usage()
        self.assertTrue(usage.character.valid)
        self.assertFalse(usage.any_limit_reached)

    def test_errors_are_those_it_knows(self):
        with self.assertRaises(deepl.DeepLException) as raised:
            self.client.translate_text(TEXT, target_lang="JA")
        self.assertIn("JA is not supported", str(raised.exception))
        with self.assertRaises(deepl.AuthorizationException):
            deepl.DeepLClient("wrong", server_url=URL).get_usage()


if __name__ == "__main__":
    unittest.main()
