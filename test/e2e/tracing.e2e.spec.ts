import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '#libs/kernel/system';
import { startTracing } from '#libs/kernel/telemetry';
import { Receiver } from '../support/receiver.js';
import {
  advanceClock,
  createPlan,
  fee,
  freezeClock,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { TraceCollector, type Span } from '../support/trace-collector.js';

let collector: TraceCollector;
let stopTracing: () => Promise<void>;
let system: System;
let workspace: TestWorkspace;
let receiver: Receiver;

beforeAll(async () => {
  collector = await TraceCollector.start();
  Object.assign(process.env, collector.env);
  stopTracing = await startTracing('tests', process.env, createLogger('tests', 'warn'));
  system = await startSystem();
  receiver = await Receiver.start();
  workspace = await system.workspace();
});
afterAll(async () => {
  await system?.stop();
  await receiver?.close();
  await stopTracing?.();
  await collector?.close();
  for (const name of Object.keys(collector.env)) delete process.env[name];
});

let count = 0;
/** A trace of a client's own, and how to wait for a span of ours in it. */
function clientTrace() {
  const traceId = String(++count).padStart(32, 'a');
  const spanId = '00000000000000c1';
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    spanId,
    span: (name: string) => collector.span((span) => span.traceId === traceId && span.name === name),
    spans: () => collector.spans.filter((span) => span.traceId === traceId),
  };
}
const isChildOf = (child: Span, parent: Span | { spanId: string }) =>
  expect(child.parentSpanId).toBe(parent.spanId);

describe('a trace', () => {
  it('leads from the client’s request through command and append to the read models', async () => {
    const trace = clientTrace();
    const { headers } = await workspace.http
      .post('/v1/customers', { id: 'traced', name: 'A' })
      .set('traceparent', trace.traceparent)
      .expect(201);
    const [request, command, append, project] = [
      await trace.span('POST /v1/customers'),
      await trace.span('customer CreateCustomer'),
      await trace.span('append customer'),
      await trace.span('project'),
    ];
    isChildOf(request, trace);
    isChildOf(command, request);
    isChildOf(append, command);
    isChildOf(project, append);
    expect(request.service).toBe('countinghouse-tests');
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.route': '/v1/customers',
      'http.response.status_code': 201,
      'countinghouse.request_id': headers['x-request-id'],
      'countinghouse.workspace_id': workspace.workspaceId,
    });
    expect(command.attributes).toMatchObject({
      'countinghouse.correlation_id': headers['x-request-id'],
      'countinghouse.stream': `customer-${workspace.workspaceId}.traced`,
    });
    expect(project.attributes).toEqual({ 'countinghouse.event_types': ['CustomerCreated'] });
  });

  it('shows a refusal as an answer, and not as a failure', async () => {
    const trace = clientTrace();
    await workspace.http
      .post('/v1/customers', { id: 'traced', name: 'B' })
      .set('traceparent', trace.traceparent)
      .expect(409);
    const command = await trace.span('customer CreateCustomer');
    expect(command.attributes['countinghouse.refusal']).toBe('customer_already_exists');
    expect(command.failed).toBe(false);
    expect((await trace.span('POST /v1/customers')).failed).toBe(false);
  });

  it('leads on to what the saga does at once, and is linked from what it does later', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00Z');
    await workspace.session
      .post('/v1/webhooks', { url: receiver.url, events: ['subscription.created'] })
      .expect(201);
    const planId = await createPlan(workspace, fee('Fee', 10, { timing: 'in_arrears' }));
    await workspace.http.post('/v1/customers', { id: 'subscriber', name: 'A' }).expect(201);
    const trace = clientTrace();
    await workspace.http
      .post('/v1/subscriptions', { customerId: 'subscriber', planId })
      .set('traceparent', trace.traceparent)
      .expect(201);
    const append = await trace.span('append subscription');
    const fanOut = await trace.span('webhooks fan-out');
    isChildOf(await trace.span('react'), append);
    isChildOf(fanOut, append);
    isChildOf(await trace.span('webhooks deliver'), fanOut);

    await advanceClock(workspace, '2026-02-01T00:00:00Z');
    const timer = await collector.span(
      ({ name, links }) =>
        name.startsWith('billing ') && links.some(({ spanId }) => spanId === append.spanId),
    );
    expect(timer.parentSpanId).toBe('');
    expect(timer.traceId).not.toBe(append.traceId);
    // What the timer led to is of its own trace.
    await collector.span((span) => span.traceId === timer.traceId && span.name === 'append invoice');
    expect(trace.spans().some(({ name }) => name === 'append invoice')).toBe(false);
  });

  it('is not made where the client says so', async () => {
    const trace = clientTrace();
    await workspace.http
      .get('/v1/customers')
      .set('traceparent', trace.traceparent.replace(/01$/, '00'))
      .expect(200);
    const next = clientTrace();
    await workspace.http.get('/v1/customers').set('traceparent', next.traceparent).expect(200);
    await next.span('GET /v1/customers');
    expect(trace.spans()).toEqual([]);
  });
});
