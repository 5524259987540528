/* eslint-disable no-control-regex -- these are the characters that are refused */

/**
 * Matches a control character. Control characters are refused, because they do not belong in an id, in a name or on an invoice. Postgres
 * cannot even store the control character NUL.
 */
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * Text of any length on one line, such as a name. A single-line text has no control characters and no line breaks of any kind. A
 * single-line text has no characters that change the direction of text, because they could make a name look like another. UAX #9 names
 * these characters: embeddings, overrides and isolates. The direction marks U+200E, U+200F and U+061C are allowed, because names in two
 * scripts need them, and a direction mark affects only the characters next to it.
 */
export const SINGLE_LINE_TEXT = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/;

/** The error message for text that is not a {@link SINGLE_LINE_TEXT}. */
export const SINGLE_LINE_TEXT_EXPECTED =
  'must be on one line, without control characters and marks that turn the direction of text';

/**
 * Text of any length without control characters, except tabs and line breaks. Some terminals interpret the control characters from U+0080
 * on, so these are excluded too.
 */
export const MULTI_LINE_TEXT = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]*$/;

/** Returns the text on one line, with an escape for each control character, line break and mark that changes the direction of text. */
export function escapeControlCharacters(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
