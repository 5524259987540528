/* eslint-disable no-control-regex -- these are the characters that are refused */

/**
 * A control character. Postgres cannot store a NUL; the others have no business in an id, in a name or on an invoice.
 */
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Text of any length that has no control characters but tabs and line breaks. */
export const TEXT_OF_LINES = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/;
