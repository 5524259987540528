/** Runs `work` for 0 … count - 1, `atOnce` at a time; the results in order. */
export async function concurrently(count, atOnce, work) {
  const results = new Array(count);
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const i = next++;
      results[i] = await work(i);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return results;
}
