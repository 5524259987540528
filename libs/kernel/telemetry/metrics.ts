import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/*
 * Metrics of a process, for Prometheus. Counters, gauges and histograms are declared in the library that reports them. These functions put
 * `countinghouse_` before each name. A label must have few values. Labels therefore name routes and not paths, kinds and not ids, and never
 * a workspace or a customer.
 */

const PREFIX = 'countinghouse_';
const registry = new Registry();

/** The time limit for reading a value. If reading a value takes longer, the metrics page does not show the value. */
const READ_TIMEOUT_MILLIS = 2_000;

/** The media type of {@link renderMetricsPage}. */
export const METRICS_CONTENT_TYPE: string = registry.contentType;

/** A value that only grows. The name ends in `_total`. */
export function createCounter<Label extends string = never>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Counter<Label> {
  return new Counter({ name: PREFIX + name, help, labelNames: [...labelNames], registers: [registry] });
}

/** The distribution of values over `buckets`, such as durations in seconds. The name ends in the unit. */
export function createHistogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly Label[] = [],
): Histogram<Label> {
  return new Histogram({
    name: PREFIX + name,
    help,
    buckets: [...buckets],
    labelNames: [...labelNames],
    registers: [registry],
  });
}

/** Values that were read together, with their labels. */
export interface LabeledValues<Value extends string, Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly values: Readonly<Partial<Record<Value, number>>>;
}

type Read<Value extends string, Label extends string> = () =>
  Promise<readonly LabeledValues<Value, Label>[]> | readonly LabeledValues<Value, Label>[];

/**
 * Gauges, which are values that go up and down. The values of gauges are read together when the metrics page is requested, and cost nothing
 * at other times.
 */
export class ObservedGauges<Value extends string, Label extends string = never> {
  private readonly readers = new Set<Read<Value, Label>>();
  private reading: Promise<LabeledValues<Value, Label>[]> | undefined;

  /** @param gauges the name and the help text of each value */
  constructor(
    gauges: Readonly<Record<Value, readonly [name: string, help: string]>>,
    labelNames: readonly Label[] = [],
  ) {
    const read = (): Promise<LabeledValues<Value, Label>[]> => this.read();
    for (const value of Object.keys(gauges) as Value[]) {
      const [name, help] = gauges[value];
      new Gauge({
        name: PREFIX + name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        async collect() {
          const readings = await read();
          this.reset();
          // A gauge without labels shows 0 until it is set or removed.
          if (labelNames.length === 0) this.remove();
          for (const { labels, values } of readings)
            if (values[value] !== undefined) this.set(labels, values[value]);
        },
      });
    }
  }

  /**
   * Each time that the metrics are fetched, `read` is called for the values, until the returned function is called. A value that cannot be
   * read is not shown, because an old value would look like a present value.
   */
  addReader(read: Read<Value, Label>): () => void {
    this.readers.add(read);
    return () => void this.readers.delete(read);
  }

  /** All gauges are read at once when the metrics are fetched, so they share one call of `read`. */
  private read(): Promise<LabeledValues<Value, Label>[]> {
    this.reading ??= Promise.all([...this.readers].map((read) => inTime(read)))
      .then((readings) => readings.flat())
      .finally(() => (this.reading = undefined));
    return this.reading;
  }
}

/** Begins to measure the process itself: CPU, memory, event loop, garbage collection. */
export function measureProcess(): void {
  collectDefaultMetrics({ register: registry });
}

/** All metrics, in Prometheus's text format. */
export function renderMetricsPage(): Promise<string> {
  return registry.metrics();
}

async function inTime<Value extends string, Label extends string>(
  read: Read<Value, Label>,
): Promise<readonly LabeledValues<Value, Label>[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<[]>((resolve) => {
    timer = setTimeout(() => resolve([]), READ_TIMEOUT_MILLIS);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
