import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#libs/kernel/core';
import { type Logger } from '#libs/kernel/system';
import type { Attributes, Context, Link, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';

/* Traces by OpenTelemetry. The SDK is loaded only if the standard variables ask for traces. Without them, a span costs one comparison. */

type Api = typeof import('@opentelemetry/api');

/** The time limit for sending the last spans when the process ends. */
const SHUTDOWN_MILLIS = 3_000;

interface Tracing {
  readonly api: Api;
  readonly tracer: Tracer;
}

let tracing: Tracing | undefined;

/** The name and the other properties of a span that is to be opened. */
export interface SpanDescription {
  readonly name: string;
  /** The kind of the span. Default: work inside the process. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /**
   * The trace context that the span continues, as {@link currentTraceParent} returns it. By default, the new span continues the open span;
   * undefined starts a new trace.
   */
  readonly parent?: string | undefined;
  /** The trace that caused the span's work, if the work happens later and has its own trace. */
  readonly link?: string | undefined;
}

/**
 * Runs `work` in a span. If `work` rejects, the error is recorded in the span and thrown to the caller. `describe` is called only if
 * tracing is on.
 */
export function runInSpan<T>(describe: () => SpanDescription, work: () => Promise<T>): Promise<T> {
  if (!tracing) return work();
  const { api } = tracing;
  const span = begin(tracing, describe());
  return api.context.with(api.trace.setSpan(api.context.active(), span), async () => {
    try {
      return await work();
    } catch (error) {
      noteError(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The open span, as text for {@link SpanDescription} (W3C `traceparent`); undefined if no span is recorded. */
export function currentTraceParent(): string | undefined {
  const context = tracing?.api.trace.getSpanContext(tracing.api.context.active());
  if (!tracing || !context || (context.traceFlags & tracing.api.TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${context.traceId}-${context.spanId}-01`;
}

/** The trace in the headers of a request, as text for {@link SpanDescription}; undefined if the headers have no trace. */
export function incomingTraceParent(headers: Record<string, unknown>): string | undefined {
  if (!tracing) return undefined;
  const { propagation, ROOT_CONTEXT, trace } = tracing.api;
  const context = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers));
  return (
    context && `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
  );
}

/** A span that begins and ends in different parts of the code. */
export interface RunningSpan {
  readonly traceId: string;
  /** Runs `work` inside the span. */
  runWithin<T>(work: () => T): T;
  end(more?: { attributes?: Attributes; failed?: boolean }): void;
}

/** Opens a span; undefined without tracing. The span must be ended. */
export function startSpan(describe: () => SpanDescription): RunningSpan | undefined {
  if (!tracing) return undefined;
  const { api } = tracing;
  const span = begin(tracing, describe());
  const context = api.trace.setSpan(api.ROOT_CONTEXT, span);
  return {
    traceId: span.spanContext().traceId,
    runWithin: (work) => api.context.with(context, work),
    end({ attributes = {}, failed = false } = {}) {
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** True if traces are recorded. */
export function isTracing(): boolean {
  return tracing !== undefined;
}

/** Tells whether the standard environment variables ask for traces to be sent. */
export function isTracingConfigured(env: NodeJS.ProcessEnv): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none')
    return false;
  return [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_TRACES_EXPORTER',
    'OTEL_CONFIG_FILE',
  ].some((name) => (env[name] ?? '') !== '');
}

/**
 * Starts tracing if the standard environment variables (`OTEL_…`) require it. The service name is `countinghouse-<process>` unless the
 * environment variables set another name. The returned function sends the remaining spans and ends tracing.
 */
export async function startTracing(
  process: string,
  env: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<() => Promise<void>> {
  if (!isTracingConfigured(env)) return async () => undefined;
  const [api, { NodeSDK }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
  ]);
  const tell = (message: string, ...more: unknown[]): void => logger.warn({ more }, `tracing: ${message}`);
  const hush = (): void => undefined;
  api.diag.setLogger(
    { error: tell, warn: tell, info: hush, debug: hush, verbose: hush },
    { suppressOverrideMessage: true },
  );
  const isNamed =
    env['OTEL_SERVICE_NAME'] || /(^|,)\s*service\.name=/.test(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
  const sdk = new NodeSDK({
    // Metrics go to Prometheus, and logs are lines on standard output.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    ...(isNamed ? {} : { serviceName: `countinghouse-${process}` }),
  });
  sdk.start();
  tracing = { api, tracer: api.trace.getTracer('countinghouse') };
  return async () => {
    tracing = undefined;
    // A collector that does not answer must not keep the process running.
    await Promise.race([sdk.shutdown(), delay(SHUTDOWN_MILLIS, undefined, { ref: false })]);
  };
}

function begin({ api, tracer }: Tracing, description: SpanDescription): Span {
  const { name, kind = 'internal', attributes = {}, link } = description;
  const linked = link === undefined ? undefined : spanContextOf(link);
  const links: Link[] = linked ? [{ context: linked }] : [];
  return tracer.startSpan(name, { kind: kindOf(api, kind), attributes, links }, parentOf(api, description));
}

function parentOf(api: Api, description: SpanDescription): Context {
  if (!('parent' in description)) return api.context.active();
  const parent = description.parent === undefined ? undefined : spanContextOf(description.parent);
  return parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
}

/** Parses W3C Trace Context, level 1; undefined for any other text. */
function spanContextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function kindOf(api: Api, kind: NonNullable<SpanDescription['kind']>): SpanKind {
  return api.SpanKind[kind.toUpperCase() as Uppercase<typeof kind>];
}

function noteError(span: Span, error: unknown): void {
  if (!tracing) return;
  // A refusal is a normal result, but it is still worth recording.
  if (error instanceof AppError && error.status < 500)
    return void span.setAttribute('countinghouse.refusal', error.code);
  span.setStatus({ code: tracing.api.SpanStatusCode.ERROR });
  span.recordException(error instanceof Error ? error : String(error));
}
