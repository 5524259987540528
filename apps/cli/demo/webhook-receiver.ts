import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A webhook receiver on loopback that acknowledges every delivery. */
export class WebhookReceiver {
  private readonly received = new Set<string>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      request.resume().on('end', () => {
        this.received.add(String(request.headers['x-service-event']));
        response.writeHead(204).end();
        server.emit('delivery');
      });
    });
  }

  static async listen(): Promise<WebhookReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`;
  }

  /** Waits for the delivery of an event. Resolves to false if the event has not arrived within `timeoutMillis`. */
  async waitForEvent(event: string, timeoutMillis: number): Promise<boolean> {
    const signal = AbortSignal.timeout(timeoutMillis);
    while (!this.received.has(event)) {
      try {
        await once(this.server, 'delivery', { signal });
      } catch {
        return false;
      }
    }
    return true;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
