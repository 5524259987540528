import type { UsageFinding } from './counting-rules.js';

/** A warning about uncounted or unpriced events that have the same name and reason. */
export interface UnmatchedWarning extends UsageFinding {
  /** The reason in words, with a way to solve the problem. */
  readonly reason: string;
  readonly eventName: string;
  /** The number of events. */
  readonly count: number;
  /** The ids of the first events that the warning is about. */
  readonly eventIds: readonly string[];
}

/** Stored usage that no metric counts, or that a metric skips; or stored usage that metrics count and no price charges. */
export interface UnmatchedUsage {
  /** The number of events. An event that several metrics skip is counted once. */
  readonly count: number;
  /** The warnings, grouped by event name and reason, in the order of their first event. The number of warnings is limited. */
  readonly warnings: readonly UnmatchedWarning[];
}

/**
 * The maximum number of warnings in one {@link UnmatchedUsage}. The number of warnings is limited because senders choose the names of
 * events.
 */
export const MAX_WARNINGS = 50;
/** The maximum number of event ids in one warning. */
export const MAX_IDS = 10;

interface Group extends UnmatchedWarning {
  count: number;
  readonly eventIds: string[];
}

/**
 * Counts uncounted events, or unpriced events, in a limited amount of memory. All events are counted, but only the first {@link MAX_WARNINGS} combinations of
 * event name and reason have a warning.
 */
export class UnmatchedTally {
  private readonly groups = new Map<string, Group>();
  /**
   * The groups of `groups`, by finding and then by event name, for a fast lookup. The events of a request have few different findings, and
   * each finding occurs many times.
   */
  private readonly met = new Map<UsageFinding, Map<string, Group>>();
  private events = 0;

  /** The number of added events. */
  get count(): number {
    return this.events;
  }

  /** Adds one event with its findings. At least one finding must be given. */
  add(eventName: string, eventId: string, findings: readonly UsageFinding[]): void {
    this.events += 1;
    for (const finding of findings) {
      const group = this.met.get(finding)?.get(eventName) ?? this.meet(finding, eventName);
      if (group === undefined) continue;
      group.count += 1;
      if (group.eventIds.length < MAX_IDS) group.eventIds.push(eventId);
    }
  }

  /** Adds the events and warnings of another tally. */
  addAll({ count, warnings }: UnmatchedUsage): void {
    this.events += count;
    for (const warning of warnings) {
      const group = this.groupOf(warning, warning.eventName);
      if (group === undefined) continue;
      group.count += warning.count;
      group.eventIds.push(...warning.eventIds.slice(0, MAX_IDS - group.eventIds.length));
    }
  }

  summary(): UnmatchedUsage {
    return {
      count: this.events,
      warnings: [...this.groups.values()].map((group) => ({ ...group, eventIds: [...group.eventIds] })),
    };
  }

  private meet(finding: UsageFinding, eventName: string): Group | undefined {
    const group = this.groupOf(finding, eventName);
    if (group === undefined) return undefined;
    const named = this.met.get(finding) ?? new Map<string, Group>();
    this.met.set(finding, named.set(eventName, group));
    return group;
  }

  /** Returns the group of events with a finding and an event name. Returns undefined if there are too many groups already. */
  private groupOf({ code, metricId, property }: UsageFinding, eventName: string): Group | undefined {
    const key = `${code} ${metricId ?? ''}\n${eventName}\n${property ?? ''}`;
    const known = this.groups.get(key);
    if (known !== undefined || this.groups.size >= MAX_WARNINGS) return known;
    const of = {
      ...(metricId === undefined ? {} : { metricId }),
      ...(property === undefined ? {} : { property }),
    };
    const group = {
      code,
      reason: reasonOf({ code, ...of }, eventName),
      eventName,
      ...of,
      count: 0,
      eventIds: [],
    };
    this.groups.set(key, group);
    return group;
  }
}

function reasonOf({ code, metricId, property }: UsageFinding, eventName: string): string {
  const skips = `Metric ${metricId} skips these events of the name "${eventName}", since`;
  switch (code) {
    case 'no_metric':
      return `No metric has the event name "${eventName}"; a metric that has it counts these events too, whenever it is made`;
    case 'filtered_out':
      return `The filters of all metrics with the event name "${eventName}" leave these events out`;
    case 'property_missing':
      return `${skips} they have no property "${property}"`;
    case 'property_not_numeric':
      return `${skips} their property "${property}" is not a number`;
    case 'property_not_scalar':
      return `${skips} their property "${property}" is not text, a number, true or false`;
    case 'unpriced':
      return `Metric ${metricId} counts these events of the name "${eventName}", but no price of their customers' subscriptions charges it; add a price with this metric to the plan or the subscription`;
  }
}
