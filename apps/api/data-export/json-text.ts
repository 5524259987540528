/** The size of the chunks that are sent, in characters. */
const CHUNK = 32_768;

/** Writes entries as a JSON list, with one entry per line. */
export async function* jsonList(entries: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const entry of entries) {
    yield separator + JSON.stringify(entry);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}

/** Joins short texts, so that a stream has few chunks. */
export async function* joinIntoChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string[] = [];
  let length = 0;
  for await (const text of texts) {
    waiting.push(text);
    length += text.length;
    if (length < CHUNK) continue;
    yield waiting.join('');
    waiting = [];
    length = 0;
  }
  if (length > 0) yield waiting.join('');
}
