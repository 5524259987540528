import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** An answer of the API: its status and its JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Requests with one API key over kept connections. */
export class ApiClient {
  private readonly url: URL;
  private readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.url = new URL(url);
    this.headers = headers;
  }

  /** Sends a request and answers whatever comes back. */
  send(method: string, path: string, body?: object): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...this.headers,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const { hostname, port } = this.url;
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const answered = Buffer.concat(parts).toString();
          resolve({ status: answer.statusCode!, body: answered === '' ? undefined : JSON.parse(answered) });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  /** The body of a `GET` that must succeed. */
  async get<T>(path: string): Promise<T> {
    return required<T>(`GET ${path}`, await this.send('GET', path));
  }

  /** The body of a request that must succeed. */
  async make<T = { id: string }>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<T> {
    return required<T>(`${method} ${path}`, await this.send(method, path, body));
  }
}

function required<T>(what: string, { status, body }: Answer): T {
  if (status >= 300) throw new Error(`${what} was answered ${status}: ${JSON.stringify(body)}`);
  return body as T;
}
