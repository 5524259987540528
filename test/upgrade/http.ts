/** Requests to an instance with one credential. Each must succeed, and answers its JSON. */
export type Http = ReturnType<typeof httpTo>;

/** @param credential an access token or an API key */
export function httpTo(url: string, credential?: string) {
  const send = async (method: string, path: string, body?: object): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const request = async (method: string, path: string, body?: object) => {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok)
      throw new Error(
        `${method} ${path} ${JSON.stringify(body)} was answered with ${response.status}: ${text}`,
      );
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    get: (path: string) => request('GET', path),
    post: (path: string, body: object = {}) => request('POST', path, body),
    put: (path: string, body: object) => request('PUT', path, body),
    patch: (path: string, body: object) => request('PATCH', path, body),
    delete: (path: string) => request('DELETE', path),
    /** Sends a form without fields, as a page of ours does. */
    submit: async (path: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await fetch(url + path, { method: 'POST', headers, redirect: 'manual' });
      if (response.status >= 400) throw new Error(`${path} was answered with ${response.status}`);
    },
    /** The code of the answer to what must be refused. */
    refused: async (path: string, body: object = {}): Promise<string> => {
      const response = await send('POST', path, body);
      if (response.ok) throw new Error(`${path} ${JSON.stringify(body)} was not refused`);
      return JSON.parse(await response.text()).code;
    },
    /** All entries of a list, page by page. */
    all: async (path: string) => {
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- As JSON.parse answers them.
      const entries: any[] = [];
      for (let after: string | undefined; ;) {
        const query = new URLSearchParams({ limit: '100', ...(after !== undefined && { after }) });
        const { data, next } = await request(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`,
        );
        entries.push(...data);
        if (next === undefined) return entries;
        after = next;
      }
    },
  };
}
