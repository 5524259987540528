import { createServer, type Server } from 'node:http';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A span as it was sent. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Empty at the beginning of a trace. */
  parentSpanId: string;
  name: string;
  /** The process that it is of. */
  service: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  /** Whether it ended with an error. */
  failed: boolean;
}

interface Attribute {
  key: string;
  value: {
    stringValue?: string;
    intValue?: number | string;
    arrayValue?: { values: { stringValue?: string }[] };
  };
}

/** What OTLP over HTTP sends as JSON, as far as it is looked at here. */
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Pick<Span, 'traceId' | 'spanId' | 'name'> & {
        parentSpanId?: string;
        attributes: Attribute[];
        links?: Span['links'];
        status: { code?: number };
      })[];
    }[];
  }[];
}

/** A collector of traces on this machine: takes OTLP over HTTP, as JSON, and keeps the spans. */
export class TraceCollector {
  readonly spans: Span[] = [];
  private readonly arrivals = new EventEmitter();

  private constructor(
    private readonly server: Server,
    /** The variables that have a process send its spans here, soon after they end. */
    readonly env: Readonly<Record<string, string>>,
  ) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isExport = request.method === 'POST' && request.url === '/v1/traces';
        response.writeHead(isExport ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
        if (!isExport) return;
        this.spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Export));
        this.arrivals.emit('arrival');
      });
    });
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TraceCollector(server, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
  }

  /** Waits for a span that fits. */
  async span(fits: (span: Span) => boolean): Promise<Span> {
    for (;;) {
      const found = this.spans.find(fits);
      if (found) return found;
      await once(this.arrivals, 'arrival');
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function spansOf({ resourceSpans }: Export): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, attributes, links = [], status }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        service: String(valuesOf(resource.attributes)['service.name']),
        attributes: valuesOf(attributes),
        links,
        failed: status.code === 2,
      })),
    ),
  );
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.arrayValue
        ? value.arrayValue.values.map(({ stringValue }) => stringValue)
        : (value.stringValue ?? value.intValue),
    ]),
  );
}
