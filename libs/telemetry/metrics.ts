import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/*
 * What a process counts, for Prometheus. Counters and histograms are declared beside the code that counts, by these
 * functions alone, which put `countinghouse_` before the name. Labels have few values: routes and not paths, kinds and
 * not ids; no workspace, no customer.
 */

const PREFIX = 'countinghouse_';
const registry = new Registry();

/** Looking up a value may take this long; then the page goes without it. */
const READ_TIMEOUT_MILLIS = 2_000;

/** The media type of {@link metricsPage}. */
export const METRICS_CONTENT_TYPE: string = registry.contentType;

/** What only grows. The name ends in `_total`. */
export function counter<Label extends string = never>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Counter<Label> {
  return new Counter({ name: PREFIX + name, help, labelNames: [...labelNames], registers: [registry] });
}

/** How values are spread over `buckets`, such as durations in seconds. The name ends in the unit. */
export function histogram<Label extends string = never>(
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

/** Values under one name, each with its labels. */
export type Reading<Label extends string> = readonly {
  labels: Partial<Record<Label, string>>;
  value: number;
}[];

/** A value that goes up and down. It costs nothing but when somebody asks. */
export class ObservedGauge<Label extends string = never> {
  private readonly readers = new Set<() => Promise<Reading<Label>> | Reading<Label>>();

  constructor(name: string, help: string, labelNames: readonly Label[] = []) {
    const { readers } = this;
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const readings = await Promise.all([...readers].map((read) => inTime(read)));
        this.reset();
        for (const { labels, value } of readings.flat()) this.set(labels as Record<Label, string>, value);
      },
    });
  }

  /**
   * Looks the values up by `read` from now on, until the returned function is called. What cannot be read is left out
   * of the page: a value of long ago would be taken for one of now.
   */
  observe(read: () => Promise<Reading<Label>> | Reading<Label>): () => void {
    this.readers.add(read);
    return () => void this.readers.delete(read);
  }
}

/** Begins to measure the process itself: CPU, memory, event loop, garbage collection. */
export function measureProcess(): void {
  collectDefaultMetrics({ register: registry });
}

/** Everything that is counted, in Prometheus's text format. */
export function metricsPage(): Promise<string> {
  return registry.metrics();
}

async function inTime<Label extends string>(
  read: () => Promise<Reading<Label>> | Reading<Label>,
): Promise<Reading<Label>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reading<Label>>((resolve) => {
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
