import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** More requests than a busy machine needs for long work. */
const MAX_REQUESTS = 10;

/** An answer of the API: its status and its JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Requests with one API key. */
export abstract class Requests {
  /** Sends a request and answers whatever comes back. */
  abstract send(method: string, path: string, body?: object): Promise<Answer>;

  /** The body of a `GET` that must succeed. */
  async get<T>(path: string): Promise<T> {
    return required<T>(`GET ${path}`, await this.send('GET', path));
  }

  /** The body of a request that must succeed. */
  async make<T = { id: string }>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<T> {
    return required<T>(`${method} ${path}`, await this.send(method, path, body));
  }

  /**
   * Sends a request for long work again while the API answers 503, at most ten times in all. Returns the last answer. The API answers 503
   * after nine seconds, or if a clock makes no progress for eight. The same request then continues the work.
   */
  async complete(method: 'POST', path: string, body: object): Promise<Answer> {
    for (let requests = 1; ; requests++) {
      const answer = await this.send(method, path, body);
      if (answer.status !== 503 || requests === MAX_REQUESTS) return answer;
    }
  }

  /** The body of what {@link complete} returns, which must succeed. */
  async makeComplete<T>(method: 'POST', path: string, body: object): Promise<T> {
    return required<T>(`${method} ${path}`, await this.complete(method, path, body));
  }
}

/** Requests over kept connections. */
export class ApiClient extends Requests {
  private readonly url: URL;
  private readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    super();
    this.url = new URL(url);
    this.headers = headers;
  }

  override send(method: string, path: string, body?: object): Promise<Answer> {
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
}

/** Sends requests with another client, and keeps what each was answered. */
export class Recording extends Requests {
  private readonly client: Requests;
  private readonly answers = new Map<string, Answer[]>();

  constructor(client: Requests) {
    super();
    this.client = client;
  }

  override async send(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.client.send(method, path, body);
    const what = textOf(method, path, body);
    this.answers.set(what, [...(this.answers.get(what) ?? []), answer]);
    return answer;
  }

  /** Gives the same answers to the same requests, in the same order. Throws at a request that was not sent then. */
  replay(): Requests {
    return new Replay(this.answers);
  }
}

class Replay extends Requests {
  private readonly left: Map<string, Answer[]>;

  constructor(answers: ReadonlyMap<string, Answer[]>) {
    super();
    this.left = new Map([...answers].map(([what, given]) => [what, structuredClone(given)]));
  }

  override async send(method: string, path: string, body?: object): Promise<Answer> {
    const what = textOf(method, path, body);
    const answer = this.left.get(what)?.shift();
    if (!answer) throw new Error(`${what} was not sent, or not as often, when the answers were recorded`);
    return answer;
  }
}

function textOf(method: string, path: string, body?: object): string {
  return `${method} ${path} ${JSON.stringify(body)}`;
}

function required<T>(what: string, { status, body }: Answer): T {
  if (status >= 300) throw new Error(`${what} was answered ${status}: ${JSON.stringify(body)}`);
  return body as T;
}
