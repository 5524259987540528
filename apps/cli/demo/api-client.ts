import { CliError } from '../cli-error.js';

/** A client of the running API, over HTTP. */
export class ApiClient {
  constructor(
    readonly url: string,
    private readonly credential?: string,
  ) {}

  /** Returns a client of the same API that sends the given credential. */
  withCredential(credential: string): ApiClient {
    return new ApiClient(this.url, credential);
  }

  async get<T>(path: string): Promise<T> {
    return (await (await this.send('GET', path)).json()) as T;
  }

  async getBytes(path: string): Promise<Buffer> {
    return Buffer.from(await (await this.send('GET', path)).arrayBuffer());
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    return (await (await this.send('POST', path, body)).json()) as T;
  }

  async put<T>(path: string, body: object): Promise<T> {
    return (await (await this.send('PUT', path, body)).json()) as T;
  }

  async patch<T>(path: string, body: object): Promise<T> {
    return (await (await this.send('PATCH', path, body)).json()) as T;
  }

  /** Sends a request. If the response is an error, throws a {@link CliError} with the request and the response. */
  private async send(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(this.credential ? { authorization: `Bearer ${this.credential}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok)
      throw new CliError(`${method} ${path} was answered with ${response.status}: ${await response.text()}`);
    return response;
  }
}
