/**
 * Reads a whole number in decimal digits, without sign, blank or exponent. Returns undefined for other text, and for a number outside `min`
 * to `max`.
 *
 * @param max at most Number.MAX_SAFE_INTEGER, which is the default
 */
export function parseWholeNumber(
  text: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}
