"""Text in English and Japanese: the words of the whole package."""

from sudare.words import LANGUAGES, Language, Text, Words, check_language, say

__all__ = ["LANGUAGES", "Language", "Text", "Words", "check_language", "say"]
