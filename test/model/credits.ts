import type { PlanName } from './catalog.ts';

/** A credit type of the model's catalog, in USD. Numbers are halves or whole, so that sums are exact. */
export interface CreditType {
  readonly overage: 'block' | 'allow';
  readonly event: string;
  readonly creditsPerUnit: number;
  readonly unitPrice: number;
  readonly overagePrice: number;
  readonly expiresAfterDays: number | null;
}

export const CREDIT_TYPES = {
  tokens: {
    overage: 'block',
    event: 'token',
    creditsPerUnit: 0.5,
    unitPrice: 0.03,
    overagePrice: 0.03,
    expiresAfterDays: 45,
  },
  messages: {
    overage: 'allow',
    event: 'message',
    creditsPerUnit: 2,
    unitPrice: 0.07,
    overagePrice: 0.11,
    expiresAfterDays: null,
  },
} as const satisfies Record<string, CreditType>;
export type CreditTypeName = keyof typeof CREDIT_TYPES;
export const CREDIT_TYPE_NAMES = Object.keys(CREDIT_TYPES) as CreditTypeName[];

/** A line of an invoice that is about credits, and has no price. */
export type CreditLineName = `${'purchase' | 'overage'} of ${CreditTypeName}`;

/** What a plan includes. */
export interface Allowance {
  readonly plan: PlanName;
  readonly type: CreditTypeName;
  readonly credits: number;
  readonly every: 'period' | 'month' | 'year';
  readonly priority: number;
  /** What stays of an interval is at least and at most so much; null: nothing stays. */
  readonly rollover: { readonly minimum: number; readonly maximum: number } | null;
}

export const ALLOWANCES: readonly Allowance[] = [
  { plan: 'included', type: 'tokens', credits: 100, every: 'month', priority: 5, rollover: null },
  {
    plan: 'included',
    type: 'messages',
    credits: 60,
    every: 'period',
    priority: 5,
    rollover: { minimum: 0, maximum: 25 },
  },
  {
    plan: 'rolling',
    type: 'tokens',
    credits: 80,
    every: 'period',
    priority: 20,
    rollover: { minimum: 10, maximum: 50 },
  },
  {
    plan: 'quarterIncluded',
    type: 'tokens',
    credits: 40,
    every: 'month',
    priority: 5,
    rollover: { minimum: 0, maximum: 30 },
  },
  { plan: 'quarterIncluded', type: 'messages', credits: 90, every: 'period', priority: 5, rollover: null },
  { plan: 'quarterIncluded', type: 'tokens', credits: 200, every: 'year', priority: 30, rollover: null },
];
