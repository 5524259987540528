/** Longer names are nobody's slip of the pen. */
const MAX_LENGTH = 32;

/**
 * The one of `names` that was meant by `text`, if it is close: not counting capitals, `_` and `-`, at most every third letter is
 * another one, is missing or is too many. Undefined if none is.
 */
export function closestTo(text: string, names: readonly string[]): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const meant = plain(text);
  let closest: string | undefined;
  let least = Math.floor(meant.length / 3) + 1;
  for (const name of names) {
    const known = plain(name);
    if (Math.abs(known.length - meant.length) >= least) continue;
    const distance = distanceOf(meant, known);
    if (distance < least) [closest, least] = [name, distance];
  }
  return closest;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Levenshtein's distance: letters to change, insert or take out. */
function distanceOf(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++)
      row.push(Math.min(row[j]! + 1, above[j + 1]! + 1, above[j]! + (letter === b[j] ? 0 : 1)));
    above = row;
  }
  return above.at(-1)!;
}
