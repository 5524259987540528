export const MEBIBYTE = 1_048_576;

/** Bodies of requests that nobody with good intentions sends, by what they are full of. Each is as near to `bytes` as it comes. */
export const HOSTILE_BODIES: Record<string, (bytes: number) => string> = {
  'unknown keys': (bytes) => `{${keys(bytes - 2)}}`,
  'keys of metadata': (bytes) => `{"metadata":{${keys(bytes - 15)}}}`,
  'keys of an event’s properties': (bytes) =>
    `{"customerId":"c","eventName":"e","properties":{${keys(bytes - 50)}}}`,
  'open lists': (bytes) => '['.repeat(bytes),
  'open objects': (bytes) => '{"a":'.repeat(bytes / 5),
  'closed lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'one text': (bytes) => `"${'x'.repeat(bytes - 2)}"`,
  'one field': (bytes) => `{"name":"${'x'.repeat(bytes - 11)}"}`,
  'one key': (bytes) => `{"${'x'.repeat(bytes - 6)}":1}`,
  'escaped quotes': (bytes) => `{"name":"${'\\"'.repeat((bytes - 11) / 2)}"}`,
  'empty objects': (bytes) => `{"prices":[${'{},'.repeat((bytes - 15) / 3)}{}]}`,
  'lists of objects': (bytes) => `[${'{"a":1},'.repeat((bytes - 4) / 8)}{}]`,
  'exact numbers': (bytes) => `{"items":[${'1e5,'.repeat((bytes - 14) / 4)}1]}`,
  commas: (bytes) => ','.repeat(bytes),
  'line breaks': (bytes) => '\n'.repeat(bytes),
  'one number': (bytes) => `{"amount":${'1'.repeat(bytes - 11)}}`,
};

function keys(bytes: number): string {
  const each = 12;
  return Array.from(
    { length: Math.floor((bytes + 1) / each) },
    (_, i) => `"${String(i).padStart(7, 'k')}":1`,
  ).join(',');
}
