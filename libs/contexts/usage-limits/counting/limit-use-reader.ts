import { Injectable } from '@nestjs/common';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { windowAt, type LimitWindow } from '../windows/limit-window.js';
import { CustomerCalendars } from './customer-calendars.js';
import { LimitCounters } from './limit-counters.js';
import type { LimitRule } from './limit-rule.js';
import { LimitRules } from './limit-rules.js';

/** The quantity that a customer has already used of a limit in the present window. */
export interface LimitUse {
  readonly rule: LimitRule;
  readonly window: LimitWindow;
  readonly used: DecimalString;
}

/** Reads the quantities that customers have used of their limits. The quantities include every event that was accepted before the call. */
@Injectable()
export class LimitUseReader {
  constructor(
    private readonly rules: LimitRules,
    private readonly calendars: CustomerCalendars,
    private readonly counters: LimitCounters,
  ) {}

  /**
   * Returns the quantity that a customer has used of each limit for which `wanted` returns true. The limits themselves are usually in this
   * process's memory. The method therefore usually runs a single SQL statement, even with much usage.
   */
  async readUses(
    workspaceId: string,
    customerId: string,
    at: Instant,
    wanted: (rule: LimitRule) => boolean = () => true,
  ): Promise<LimitUse[]> {
    for (;;) {
      const rules = await this.rules.rulesInForceFor(workspaceId, new Set([customerId]));
      const uses = await this.usesOf(workspaceId, customerId, at, {
        version: rules.version,
        rules: rules.limitsOf(customerId).filter(wanted),
      });
      const used = await this.counters.usedQuantities(workspaceId, rules.version, uses);
      if (used) return uses.map(({ rule, window }, i) => ({ rule, window, used: used[i]! }));
      this.rules.forget(workspaceId);
    }
  }

  private async usesOf(
    workspaceId: string,
    customerId: string,
    at: Instant,
    { version, rules }: { readonly version: string; readonly rules: readonly LimitRule[] },
  ) {
    if (rules.length === 0) return [];
    const calendar = (await this.calendars.calendarsOf(workspaceId, version, [customerId])).get(customerId)!;
    return rules.map((rule) => {
      const { per, metric } = rule;
      const window = windowAt({ per, metricId: metric.metricId }, calendar, at);
      return { rule, workspaceId, customerId, window, at };
    });
  }
}
