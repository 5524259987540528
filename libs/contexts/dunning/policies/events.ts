import type { SubscriptionAction } from '#libs/contexts/invoicing';
import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The mails of dunning, from the friendliest to the last. */
export const DUNNING_TEMPLATES = ['friendly_reminder', 'reminder', 'final_notice'] as const;
export type DunningTemplate = (typeof DUNNING_TEMPLATES)[number];

/** The ways in which a step reaches the customer. */
export const DUNNING_CHANNELS = ['email'] as const;
export type DunningChannel = (typeof DUNNING_CHANNELS)[number];

/** One step of a policy. */
export interface DunningStep {
  /** The days from the start of the debt to the step. */
  readonly afterDays: number;
  readonly channel: DunningChannel;
  readonly template: DunningTemplate;
  /** What happens to the subscriptions of the overdue invoices. */
  readonly subscription: SubscriptionAction;
}

/** The path that an overdue debt takes. */
export interface DunningPolicy {
  readonly name: string;
  /** If false, no process starts, and running ones end before their next step. */
  readonly enabled: boolean;
  /** In the order of their days, at least one. */
  readonly steps: readonly DunningStep[];
}

/** The event has the whole policy as it is from now on. */
export type DunningPolicyEvent = DomainEvent<
  'DunningPolicyChanged',
  { policyId: string; at: Instant } & DunningPolicy
>;

export const dunningPolicyEvents: EventCatalog<DunningPolicyEvent> = { DunningPolicyChanged: v1 };
