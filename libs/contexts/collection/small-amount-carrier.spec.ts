import { expect, it, jest } from '@jest/globals';
import type { CarryForward } from '#libs/contexts/invoicing';
import { SmallAmountCarrier } from './small-amount-carrier.js';

type Case = {
  due?: string;
  settings?: object;
  status?: string;
  attempts?: object[];
  /** The subscription of the invoice; null if it has none. */
  own?: object | null;
  /** Another subscription of the customer. */
  other?: object;
  mode?: 'sandbox' | 'live';
};

const ACTIVE = { phase: 'active', cancelAt: null, currency: 'USD' };

/** Whether an invoice is carried. It is open over 0.30 USD in a sandbox, and its subscription goes on, unless the case says otherwise. */
async function isCarried({
  due = '0.30',
  settings,
  status = 'open',
  attempts = [],
  own = ACTIVE,
  other,
  mode = 'sandbox',
}: Case) {
  const execute = jest.fn<(command: CarryForward) => Promise<void>>().mockResolvedValue(undefined);
  const subscriptions = new Map(Object.entries({ sub_own: own ?? undefined, sub_other: other }));
  const carrier = new SmallAmountCarrier(
    ...([
      { execute },
      { find: async (_: string, id: string) => subscriptions.get(id) },
      { oldestLiveSubscriptionIds: async () => (other ? ['sub_other'] : []) },
      { readMode: async () => mode },
    ] as unknown as ConstructorParameters<typeof SmallAmountCarrier>),
  );
  const invoice = {
    invoiceId: 'inv_1',
    customerId: 'cust_1',
    currency: 'USD',
    status,
    total: due,
    balanceApplied: '0.00',
    subscriptionId: own ? 'sub_own' : null,
    creditNotes: [],
    reductions: [],
    attempts,
    settings: { autoCollect: true, carrySmallAmounts: true, ...settings },
  };
  const carried = await carrier.carry({ workspaceId: 'acc_1' } as never, invoice as never);
  expect(execute.mock.calls.map(([{ amount }]) => amount)).toEqual(carried ? [due] : []);
  return carried;
}

it('an amount below the smallest charge of a sandbox is carried, and no other', async () => {
  expect(await isCarried({})).toBe(true);
  expect(await isCarried({ due: '0.49' })).toBe(true);
  expect(await isCarried({ due: '0.50' })).toBe(false);
});

it('an amount that the processor refused as too small is carried, unless a larger one is due now', async () => {
  const refused = { status: 'failed', code: 'amount_too_small', amount: '0.52' };
  expect(await isCarried({ due: '0.52', attempts: [refused] })).toBe(true);
  expect(await isCarried({ due: '0.51', attempts: [refused] })).toBe(true);
  expect(await isCarried({ due: '0.60', attempts: [refused] })).toBe(false);
  expect(await isCarried({ due: '0.52', attempts: [{ ...refused, code: 'card_declined' }] })).toBe(false);
});

it('in a live workspace, an amount is carried only after a charge of it was refused', async () => {
  const mode = 'live';
  const refused = { status: 'failed', code: 'amount_too_small', amount: '0.30', message: 'Too small' };
  expect(await isCarried({ mode })).toBe(false);
  expect(await isCarried({ mode, attempts: [refused] })).toBe(true);
  expect(await isCarried({ mode, attempts: [{ ...refused, code: 'card_declined' }] })).toBe(false);
});

it('an amount that is refused for another reason than its smallness is not carried', async () => {
  expect(await isCarried({ due: '1000000.00' })).toBe(false);
});

it('an amount is carried only if the settings say so, and of an open invoice', async () => {
  expect(await isCarried({ settings: { carrySmallAmounts: false } })).toBe(false);
  expect(await isCarried({ settings: { carrySmallAmounts: undefined } })).toBe(false);
  expect(await isCarried({ settings: { autoCollect: false } })).toBe(false);
  expect(await isCarried({ status: 'paid' })).toBe(false);
});

it('an amount is carried only if the customer has a subscription in the currency that goes on', async () => {
  const ends = { ...ACTIVE, cancelAt: '2026-02-01T00:00:00.000Z' };
  for (const own of [null, ends, { ...ACTIVE, phase: 'canceled' }, { ...ACTIVE, phase: 'paused' }]) {
    expect(await isCarried({ own })).toBe(false);
    expect(await isCarried({ own, other: ACTIVE })).toBe(true);
    expect(await isCarried({ own, other: { ...ACTIVE, currency: 'EUR' } })).toBe(false);
  }
});
