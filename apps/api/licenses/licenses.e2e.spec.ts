import { describe, expect, it } from '@jest/globals';
import { advanceClock, createPlan, fee, settle, workspacePerTest } from '../../../test/support/index.js';

const { workspace, get, post, create, invoicesOf } = workspacePerTest({ now: '2026-04-01T00:00:00.000Z' });

/** Creates a plan of a price for seats of the type `editor`, 30 USD a month. Returns the plan's id. */
const planOfSeats = (timing: 'in_advance' | 'in_arrears'): Promise<string> =>
  createPlan(workspace, {
    name: 'Editor seats',
    licenseTypeId: 'editor',
    cadence: 'monthly',
    timing,
    config: { model: 'license', unitPrice: 30, currency: 'USD' },
  });
const customer = async (): Promise<string> => (await create('/v1/customers', { name: 'Northwind' })).id;
const allocate = (customerId: string) => create('/v1/licenses', { customerId, licenseTypeId: 'editor' });
const deactivate = ({ id }: { id: string }) => post(`/v1/licenses/${id}/deactivate`);
/** Moves the clock to midnight of a day of April or May 2026, and waits for all that follows. */
const to = (day: string) => advanceClock(workspace, `2026-${day}T00:00:00.000Z`);
const linesOf = async (customerId: string) =>
  (await invoicesOf(customerId)).map(({ total, lines }) => [
    total,
    lines.map(({ quantity, amount, periodStart, periodEnd }) =>
      [quantity, amount, periodStart.slice(5, 10), periodEnd.slice(5, 10)].join(' '),
    ),
  ]);

describe('a license', () => {
  it('is allocated, listed and deactivated', async () => {
    await planOfSeats('in_advance');
    const customerId = await customer();
    const license = await allocate(customerId);
    expect(license).toEqual({
      id: expect.stringMatching(/^lic_/),
      accountId: workspace.workspaceId,
      customerId,
      licenseTypeId: 'editor',
      status: 'active',
      startedAt: '2026-04-01T00:00:00.000Z',
      deactivatedAt: null,
    });
    const other = await create('/v1/licenses', { customer_id: customerId, license_type_id: 'editor' });
    await to('04-02');
    const ended = { success: true, deactivatedAt: '2026-04-02T00:00:00.000Z' };
    expect(await deactivate(license)).toEqual(ended);
    await to('04-03');
    expect(await deactivate(license)).toEqual(ended);
    await settle(workspace);
    const inactive = { ...license, status: 'inactive', deactivatedAt: ended.deactivatedAt };
    expect(await get(`/v1/licenses/${license.id}`)).toEqual(inactive);
    const list = async (query: string) => (await get(`/v1/licenses?${query}`)).data;
    expect(await list('')).toEqual([inactive, other]);
    expect(await list(`customerId=${customerId}&licenseTypeId=editor&status=active`)).toEqual([other]);
    expect(await list('licenseTypeId=viewer')).toEqual([]);
    expect(await list('customerId=nobody')).toEqual([]);
  });

  it('has a customer, and a type that a price names', async () => {
    await planOfSeats('in_advance');
    const customerId = await customer();
    const refused = async (body: object, status: number, ...fields: string[]) =>
      expect((await post('/v1/licenses', body, status)).details).toMatchObject(
        fields.map((field) => ({ field })),
      );
    await refused({ licenseTypeId: 'editor' }, 400, 'customerId');
    await refused({ customerId }, 400, 'licenseTypeId');
    await refused({}, 400, 'customerId', 'licenseTypeId');
    await refused({ customerId, licenseTypeId: 'viewer' }, 404, 'licenseTypeId');
    await refused(
      { customerId, licenseTypeId: 'editor', customer_id: 'other' },
      400,
      'customer_id',
      'customerId',
    );
    await refused({ customerId: 'nobody', licenseTypeId: 'editor' }, 404, 'customerId');
    expect(await post('/v1/licenses/lic_none/deactivate', {}, 404)).toMatchObject({
      code: 'license_not_found',
    });
    await get('/v1/licenses/lic_none', 404);
  });
});

describe('seats that are charged in advance', () => {
  it('are the active licenses; a paid seat is reused, and a freed one ends with the period', async () => {
    const planId = await planOfSeats('in_advance');
    const customerId = await customer();
    const first = await allocate(customerId);
    await allocate(customerId);
    const { id } = await create('/v1/subscriptions', { customerId, planId });
    // April has 30 days. A third seat is charged for the 15 days that are left: 3 × 15 - 2 × 15 = 15.
    await to('04-16');
    const third = await allocate(customerId);
    // Three seats are paid. So nothing is charged while one of them is freed and given to somebody else.
    await to('04-21');
    await deactivate(third);
    await to('04-22');
    await allocate(customerId);
    await to('04-26');
    await deactivate(first);
    await settle(workspace);
    const april = [
      [60, ['2 60 04-01 05-01']],
      [15, ['2 -30 04-16 05-01', '3 45 04-16 05-01']],
    ];
    expect(await linesOf(customerId)).toEqual(april);
    expect((await get(`/v1/subscriptions/${id}`)).prices).toMatchObject([{ quantity: 3 }]);
    expect((await post(`/v1/subscriptions/${id}/invoices/compute`)).total).toBe(60);
    // Two are active when May begins.
    await to('05-01');
    expect(await linesOf(customerId)).toEqual([...april, [60, ['2 60 05-01 06-01']]]);
    expect((await get(`/v1/subscriptions/${id}`)).prices).toMatchObject([{ quantity: 2 }]);
  });
});

describe('seats that are charged in arrears', () => {
  it('count as the most that were active, each from its allocation on', async () => {
    const planId = await planOfSeats('in_arrears');
    const customerId = await customer();
    await create('/v1/subscriptions', { customerId, planId });
    // A seat from 11 April on costs 20 of 30 days: 20. It is charged to the end of the period, although it is freed.
    await to('04-11');
    const license = await allocate(customerId);
    await to('04-21');
    await deactivate(license);
    await to('05-01');
    await allocate(customerId);
    // Of 31 days in May, 10 are charged for one seat, and 21 for two: 30 × 10/31 = 9.68 and 60 × 21/31 = 40.65.
    await to('05-11');
    await allocate(customerId);
    await to('06-01');
    expect(await linesOf(customerId)).toEqual([
      [20, ['1 20 04-11 05-01']],
      [9.68, ['1 9.68 05-01 05-11']],
      [40.65, ['2 40.65 05-11 06-01']],
    ]);
  });
});

describe('a subscription that changes to a price of licenses', () => {
  /** A customer with two licenses, who is subscribed to a plan without seats. */
  async function withoutSeats() {
    const planId = await planOfSeats('in_advance');
    const customerId = await customer();
    await allocate(customerId);
    await deactivate(await allocate(customerId));
    await allocate(customerId);
    const base = await createPlan(workspace, fee('Base', 10, { timing: 'in_advance' }));
    const { id } = await create('/v1/subscriptions', { customerId, planId: base });
    return { customerId, planId, base, path: `/v1/subscriptions/${id}` };
  }

  it('by an amendment begins with the active licenses, as its preview says', async () => {
    const { customerId, planId, path } = await withoutSeats();
    await to('04-16');
    // The half of April: 2 × 15 for the seats, less 5 for the base fee.
    const { invoice } = await post(`${path}/amend`, { planId, preview: true });
    expect(invoice.total).toBe(25);
    await post(`${path}/amend`, { planId });
    await to('04-17');
    expect(await linesOf(customerId)).toEqual([
      [10, ['1 10 04-01 05-01']],
      [25, ['1 -5 04-16 05-01', '2 30 04-16 05-01']],
    ]);
    const [{ priceId }] = (await get(path)).prices;
    const quantities = [{ priceId, quantity: 5 }];
    expect(await post(`${path}/amend`, { quantities }, 400)).toMatchObject({
      details: [{ field: 'quantities', message: expect.stringContaining('active licenses') }],
    });
  });

  it.each(['scheduled change', 'price migration'])(
    'by a %s begins with the licenses that are active then',
    async (kind) => {
      const { customerId, planId, base, path } = await withoutSeats();
      await to('04-02');
      await (kind === 'price migration'
        ? create('/v1/price-migrations', {
            name: 'Seats',
            fromPlanId: base,
            toPlanId: planId,
            effectiveAt: 'period_end',
          })
        : post(`${path}/schedule-amendment`, { planId, effectiveAt: 'period_end' }));
      expect((await post(`${path}/invoices/compute`)).total).toBe(60);
      await to('04-16');
      await allocate(customerId);
      expect((await post(`${path}/invoices/compute`)).total).toBe(90);
      await to('05-01');
      expect(await linesOf(customerId)).toEqual([
        [10, ['1 10 04-01 05-01']],
        [90, ['3 90 05-01 06-01']],
      ]);
    },
  );
});
