/** What half of the values, 99 in a hundred, and all of them are not above. */
export function quantiles(unsorted) {
  const values = [...unsorted].sort((a, b) => a - b);
  const at = (share) => values[Math.min(values.length - 1, Math.floor(values.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: values.at(-1) };
}
