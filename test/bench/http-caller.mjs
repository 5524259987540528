import { Agent, request } from 'node:http';

/** Requests over kept connections, by the plainest means there is: the load shares its cores with what it measures. */
export function caller(headers) {
  const agent = new Agent({ keepAlive: true });
  return (method, url, body) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const sent = request(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() }));
        answer.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

/** The same, of JSON, for what must succeed. */
export function jsonCaller(url, headers) {
  const call = caller(headers);
  return async (method, path, body) => {
    const { status, text } = await call(
      method,
      url + path,
      body === undefined ? undefined : JSON.stringify(body),
    );
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}
