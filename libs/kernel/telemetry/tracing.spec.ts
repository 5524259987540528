import { describe, expect, it } from '@jest/globals';
import {
  incomingTraceParent,
  startSpan,
  runInSpan,
  currentTraceParent,
  isTracingConfigured,
} from './index.js';

describe('without tracing', () => {
  const describeSpan = () => {
    throw new Error('nobody wants to know');
  };

  it('work is done as if there were no spans', async () => {
    expect(await runInSpan(describeSpan, async () => 7)).toBe(7);
    await expect(runInSpan(describeSpan, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(startSpan(describeSpan)).toBeUndefined();
    expect(currentTraceParent()).toBeUndefined();
    expect(incomingTraceParent({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })).toBeUndefined();
  });

  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'x' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  ])('%j asks for traces: %s', (env, wanted) => expect(isTracingConfigured(env)).toBe(wanted));
});
