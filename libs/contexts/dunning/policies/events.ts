import type { UnpaidSubscriptionAction } from '#libs/contexts/invoicing';
import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The templates of dunning mail, from the friendliest one to the final notice. */
export const DUNNING_TEMPLATES = ['friendly_reminder', 'reminder', 'final_notice'] as const;
export type DunningTemplate = (typeof DUNNING_TEMPLATES)[number];

/** The ways in which a step reaches the customer. */
export const DUNNING_CHANNELS = ['email'] as const;
export type DunningChannel = (typeof DUNNING_CHANNELS)[number];

/** One step of a policy. */
export interface DunningStep {
  /**
   * The number of days after the invoice that started the process became overdue. A step that is more than an hour late moves the steps
   * after it. If the process starts after the day of the first step, the first step is due at once. The later steps then keep their
   * distance from the first step.
   */
  readonly afterDays: number;
  readonly channel: DunningChannel;
  readonly template: DunningTemplate;
  /** The action on the subscriptions of the overdue invoices. */
  readonly subscription: UnpaidSubscriptionAction;
}

/** The steps that are taken for an overdue debt. */
export interface DunningPolicy {
  readonly name: string;
  /** If false, no dunning process starts. A running process ends when its next step is due, and does not take this step. */
  readonly enabled: boolean;
  /** At least one step, in the order of `afterDays`. */
  readonly steps: readonly DunningStep[];
}

/** The event contains the whole policy after the change. */
export type DunningPolicyEvent = DomainEvent<
  'DunningPolicyChanged',
  { policyId: string; at: Instant } & DunningPolicy
>;

export const dunningPolicyEvents: EventCatalog<DunningPolicyEvent> = { DunningPolicyChanged: v1 };
