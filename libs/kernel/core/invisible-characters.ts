/**
 * A character that cannot be seen. Invisible characters are control characters, line breaks, lone surrogates and characters with the
 * Unicode property Default_Ignorable_Code_Point. Programs do not show default-ignorable characters, such as a zero-width space, a soft
 * hyphen or a mark that changes the direction of text.
 */
export const INVISIBLE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]/u;

/**
 * Matches the name of a person or of a workspace. A name has no {@link INVISIBLE_CHARACTER}, so that different names also look different.
 * Joiners and variation selectors are invisible, but are allowed where spelling needs them. A joiner is allowed after a mark, or after a
 * letter of a script whose letters join. A variation selector is allowed after a pictogram.
 */
export const VISIBLE_NAME =
  /^(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]|(?<=[\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])*$/u;

/** The error message for text with characters that cannot be seen. */
export const VISIBLE_TEXT_EXPECTED =
  'must not have invisible characters or marks that turn the direction of text; remove them, or type the text anew';
