import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { measureProcess, METRICS_CONTENT_TYPE, renderMetricsPage } from '#libs/kernel/telemetry';
import type { ReadyReport } from './checks.js';

/** A small HTTP server in each process that serves health checks and metrics to operators. */
export interface OpsServer {
  port: number;
  close(): Promise<void>;
}

/** The address of the server, and the function that tells whether the process is ready. */
export interface OpsServerOptions {
  host: string;
  /** The port; 0 chooses a free one. */
  port: number;
  checkReady: () => Promise<ReadyReport>;
}

/**
 * Answers `GET /health` (the process runs), `GET /ready` (200 or 503, with the result of each check) and `GET /metrics` (for Prometheus).
 * The server has no authentication. The server has a separate port, which only operators and their tools should reach. Rejects if the port
 * is not free.
 */
export async function startOpsServer({
  host,
  port,
  checkReady: ready,
}: OpsServerOptions): Promise<OpsServer> {
  const pages: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/health': async (response) => answerJson(response, 200, { status: 'ok' }),
    '/ready': async (response) => {
      const report = await ready();
      answerJson(response, report.ready ? 200 : 503, {
        status: report.ready ? 'ok' : 'unavailable',
        checks: report.checks,
      });
    },
    '/metrics': async (response) => {
      const page = await renderMetricsPage();
      response
        .writeHead(200, { 'content-type': METRICS_CONTENT_TYPE, 'cache-control': 'no-store' })
        .end(page);
    },
  };
  measureProcess();
  const server = createServer((request, response) => {
    const page = pages[request.url?.split('?')[0] ?? ''];
    if (!page) return answerJson(response, 404, { error: `There are ${Object.keys(pages).join(', ')}` });
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answerJson(response, 405, { error: 'Only GET is allowed' });
    page(response).catch(() => answerJson(response, 500, { error: 'The page cannot be made at the moment' }));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}
