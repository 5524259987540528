import { systemClock, type Logger } from '#libs/kernel/system';
import { ObservedGauges } from './metrics.js';

/** Systems outside that do not work at the moment. Several readers may show the same system. */
const outages = new ObservedGauges(
  { failing: ['outages', 'Systems outside, such as a mail server or webhook endpoints, that do not work'] },
  ['system'],
);

/** What is known of a failed use: why it failed, when it is tried again, and which resources it is about. */
export interface OutageFacts {
  readonly error?: string | undefined;
  /** The time of the next attempt, in ISO 8601. */
  readonly nextAttemptAt?: string | undefined;
  readonly [more: string]: unknown;
}

/**
 * Tells operators about a system outside that does not work: one line in the log when an outage begins, and one when it ends. It is for
 * callers that store whether the system works, such as the pause of a webhook. {@link ObservedOutages} is for all others.
 */
export class OutageLog {
  /** @param system the kind of system, such as `webhook`; it is a label of metrics */
  constructor(
    readonly system: string,
    private readonly logger: Logger,
  ) {}

  reportBegin(facts: OutageFacts): void {
    this.logger.warn({ outage: 'begin', system: this.system, ...facts }, `${this.system}: an outage begins`);
  }

  reportEnd(facts: OutageFacts): void {
    this.logger.warn({ outage: 'end', system: this.system, ...facts }, `${this.system}: the outage is over`);
  }

  /** Shows the number of failing systems in the metric `outages`, until the returned function is called. */
  observe(count: () => Promise<number> | number): () => void {
    return outages.addReader(async () => [
      { labels: { system: this.system }, values: { failing: await count() } },
    ]);
  }
}

/**
 * Tells operators about systems outside, from the result of each use. Only the first failure of an outage and the first success after it
 * are logged. The process remembers the outages: a process that is started during an outage logs its begin again.
 */
export class ObservedOutages {
  private readonly failingSince = new Map<string, string>();
  private readonly log: OutageLog;
  private readonly stopObserving: () => void;

  constructor(system: string, logger: Logger) {
    this.log = new OutageLog(system, logger);
    this.stopObserving = this.log.observe(() => this.failingSince.size);
  }

  /** Records that a use failed because the system does not work. `key` names the system among those of its kind. */
  failed(key: string, facts: OutageFacts): void {
    if (this.failingSince.has(key)) return;
    this.failingSince.set(key, systemClock.now());
    this.log.reportBegin({ key, ...facts });
  }

  /** Records that a use showed that the system works. */
  worked(key: string): void {
    const since = this.failingSince.get(key);
    if (since === undefined) return;
    this.failingSince.delete(key);
    this.log.reportEnd({ key, since });
  }

  close(): void {
    this.stopObserving();
  }
}
