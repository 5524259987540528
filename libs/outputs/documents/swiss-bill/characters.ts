/** The characters of a QR-bill (Swiss Implementation Guidelines for the QR-bill, version 2.3, section 4.1.1). */
const PERMITTED = /^[\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u20ac]*$/;

/** Marks that word processors write in place of those on a keyboard. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a]/g, "'"],
  [/[\u201c\u201d\u201e]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/\s+/g, ' '],
];

/**
 * Returns a text with the characters that a QR-bill permits, cut to a length. Returns null if the text has others, such as Greek or Japanese
 * letters.
 */
export function permittedText(text: string, length: number): string | null {
  const plain = PLAIN.reduce((before, [from, to]) => before.replace(from, to), text.normalize('NFC')).trim();
  return PERMITTED.test(plain) ? plain.slice(0, length).trim() : null;
}
