import { describe, expect, it } from '@jest/globals';
import type { LicenseChange } from '#libs/contexts/licenses';
import type { Instant } from '#libs/kernel/core';
import { decide } from '#libs/kernel/testing';
import {
  ahead,
  amend,
  B0,
  B1,
  B2,
  behind,
  canceled,
  create,
  linesOfBills,
  pass,
  plan,
  price,
  subscriptionId,
} from '../../../../test/support/sample-subscription.js';
import { billOfEvent } from '../decided-bill.js';
import { subscriptionDecider, type SubscriptionCommand } from '../decider.js';
import type { SubscriptionEvent } from '../events.js';
import { mustCountLicenses } from '../seats.js';

const { given } = decide(subscriptionDecider);

// The first period has 28 days, from 31 January to 28 February at 10:00. So a seat costs 1 USD a day.
const config = { model: 'license', unitPrice: '28', currency: 'USD' } as const;
const ofEditors = { licenseTypeId: 'editor', config };
const inAdvance = price('advance', { ...ofEditors, timing: 'in_advance' });
const inArrears = price('arrears', ofEditors);
const ofAYear = price('year', { ...ofEditors, cadence: 'annual', timing: 'in_advance' });
const day = (days: number): Instant => new Date(Date.parse(B0) + days * 86_400_000).toISOString();

/** The changes of licenses, in order: on which day how many are active. */
const changes = (...counts: [days: number, active: number, licenseTypeId?: string][]): LicenseChange[] =>
  counts.map(([days, active, licenseTypeId = 'editor'], i) => ({
    number: i + 1,
    licenseTypeId,
    active,
    at: day(days),
  }));
const count = (...counts: LicenseChange[]): SubscriptionCommand => ({
  type: 'CountLicenses',
  subscriptionId,
  changes: counts,
});
const editors = (active: number, changed = active) => ({ changes: changed, active: { editor: active } });

/** Runs the commands, each until it changes nothing. Returns the events. */
function run(...commands: SubscriptionCommand[]): SubscriptionEvent[] {
  const history: SubscriptionEvent[] = [];
  for (const command of commands) {
    const isRepeated = command.type === 'CountLicenses';
    for (
      let events = given(...history)
        .when(command)
        .events();
      events.length > 0;
    ) {
      history.push(...events);
      events = isRepeated
        ? given(...history)
            .when(command)
            .events()
        : [];
    }
  }
  return history;
}

/** The lines of each invoice: its seats and its amount. */
function invoicesOf(history: readonly SubscriptionEvent[]): string[][] {
  const bills = history.flatMap((event) => billOfEvent(event as never) ?? []);
  return linesOfBills(bills).map((lines) => lines.map(({ quantity, amount }) => `${quantity}: ${amount}`));
}
const seatsOf = (history: readonly SubscriptionEvent[]) =>
  given(...history)
    .state()!
    .items.map(({ quantity }) => quantity);

describe('the seats of a license price', () => {
  it('begin with the active licenses', () => {
    const created = run(create([inAdvance], { licenses: editors(3) }));
    expect(invoicesOf(created)).toEqual([['3: 84.00']]);
    expect(seatsOf(run(create([inAdvance, ahead], { licenses: editors(0) })))).toEqual(['0', '1']);
    expect(seatsOf(run(create([inAdvance])))).toEqual(['0']);
  });

  it('are no charge, and no invoice, while there are none', () => {
    expect(invoicesOf(run(create([inAdvance]), pass(B1), pass(B2)))).toEqual([]);
    expect(invoicesOf(run(create([inAdvance]), count(...changes([14, 1]))))).toEqual([['1: 14.00']]);
  });

  it('begin in a later period, from the allocation on', () => {
    // The second period has 31 days, of which 15.5 are left.
    const late = run(create([inAdvance, inArrears]), pass(B1), count(...changes([43.5, 1])), pass(B2));
    expect(invoicesOf(late)).toEqual([['1: 14.00'], ['1: 28.00', '1: 14.00']]);
  });

  it('grow at once, each from its own day', () => {
    const grown = run(create([inAdvance], { licenses: editors(0) }), count(...changes([7, 1], [14, 2])));
    expect(invoicesOf(grown)).toEqual([['1: 21.00'], ['1: -14.00', '2: 28.00']]);
    expect(seatsOf(grown)).toEqual(['2']);
  });

  it('are reused within the period', () => {
    const reused = run(
      create([inAdvance], { licenses: editors(2) }),
      count(...changes([1, 1], [1, 2], [2, 1], [7, 2], [9, 1], [14, 2], [14, 3])),
    );
    // The first two changes are those that the creation has counted.
    expect(invoicesOf(reused)).toEqual([['2: 56.00'], ['2: -28.00', '3: 42.00']]);
  });

  it('end with the period', () => {
    const ended = run(
      create([inAdvance, inArrears], { licenses: editors(2) }),
      count(...changes([0, 1], [0, 2], [14, 1])),
      pass(B1),
      pass(B2),
    );
    expect(invoicesOf(ended)).toEqual([['2: 56.00'], ['1: 28.00', '2: 56.00'], ['1: 28.00', '1: 28.00']]);
    expect(seatsOf(ended)).toEqual(['1', '1']);
  });

  it('in arrears are the most that were active', () => {
    const billed = run(
      create([inArrears]),
      count(...changes([7, 1], [8, 0], [14, 1], [21, 2], [22, 1])),
      pass(B1),
    );
    // From day 7 on, there is one seat; from day 21 on, there are two.
    expect(invoicesOf(billed)).toEqual([['1: 14.00'], ['2: 14.00']]);
  });

  it('of a longer cadence end with its own period', () => {
    const [monthly, yearly] = [behind, ofAYear];
    const ended = run(
      create([monthly, yearly], { licenses: editors(2) }),
      count(...changes([0, 1], [0, 2], [14, 1])),
      pass(B1),
    );
    expect(seatsOf(ended)).toEqual(['1', '2']);
    let history = ended;
    const boundaries = 12;
    for (let i = 1; i < boundaries; i++) {
      const { end } = given(...history).state()!.period;
      history = [
        ...history,
        ...given(...history)
          .when(pass(end))
          .events(),
      ];
    }
    expect(seatsOf(history)).toEqual(['1', '1']);
    expect(invoicesOf(history).at(-1)).toEqual(['1: 20.00', '1: 28.00']);
  });
});

describe('changes of licenses', () => {
  const two = create([inAdvance], { licenses: editors(2) });

  it('count once, whoever counts them', () => {
    const [first, second, third] = changes([0, 1], [0, 2], [14, 3]);
    const once = run(two, count(third!));
    given(...once)
      .when(count(first!, second!, third!))
      .then();
  });

  it('that are due after the end of the period count in the next one', () => {
    const late = changes([0, 1], [0, 2], [14, 3], [30, 4]);
    const history = run(two, count(...late), pass(B1), count(...late));
    // March has 31 days, of which 2 have passed: 4 × 28 × 29 / 31 = 104.77, and less by a quarter for three.
    expect(invoicesOf(history)).toEqual([
      ['2: 56.00'],
      ['2: -28.00', '3: 42.00'],
      ['3: 84.00'],
      ['3: -78.58', '4: 104.77'],
    ]);
  });

  it('that are counted late, after a renewal, count from its beginning on', () => {
    const history = run(two, pass(B1), count(...changes([0, 1], [0, 2], [27, 3])));
    expect(invoicesOf(history).at(-1)).toEqual(['2: -56.00', '3: 84.00']);
  });

  it('that are counted late, after a change of terms, count from that change on', () => {
    const history = run(
      create([inAdvance, behind], { licenses: editors(2) }),
      amend({ plan: plan(inArrears) }, { at: day(14) }),
      count(...changes([0, 1], [0, 2], [7, 3])),
      pass(B1),
    );
    // The half of two seats in advance is given back. Three seats in arrears are charged for the second half.
    expect(invoicesOf(history)).toEqual([['2: 56.00'], ['2: -28.00', '1: 10.00'], ['3: 42.00']]);
  });

  it('are kept while nothing is charged, and charged afterwards', () => {
    const trial = run(
      create([inAdvance], { trialDays: 14 }),
      count(...changes([1, 1], [2, 2], [3, 1])),
      pass(day(14)),
    );
    expect(invoicesOf(trial)).toEqual([['1: 28.00']]);
    const pause = {
      type: 'PauseSubscription',
      subscriptionId,
      pauseAt: null,
      resumeAt: null,
      at: day(14),
    } as const;
    const resume = { type: 'ResumeSubscription', subscriptionId, resumeAt: null, at: day(20) } as const;
    const paused = run(
      two,
      count(...changes([0, 1], [0, 2], [7, 1])),
      pause,
      count(...changes([0, 1], [0, 2], [7, 1], [15, 2], [16, 3])),
      resume,
    );
    // Two seats were paid until the pause. Three are active when it ends.
    expect(invoicesOf(paused)).toEqual([['2: 56.00'], ['2: -28.00'], ['3: 84.00']]);
  });

  it('of another type are no seats', () => {
    const history = run(two, count(...changes([0, 1], [0, 2], [1, 9, 'viewer'])));
    expect(invoicesOf(history)).toHaveLength(1);
    expect(given(...history).state()!.licenses).toEqual({ changes: 3, active: { editor: 2, viewer: 9 } });
  });

  it('do not count after the end', () => {
    given(...run(two), canceled(day(1), null))
      .when(count(...changes([0, 1], [0, 2], [14, 3])))
      .then();
    expect(mustCountLicenses(given(...run(two), canceled(day(1), null)).state()!)).toBe(false);
  });
});

describe('a change of terms', () => {
  it('gives a new price the active licenses', () => {
    const counted = run(create([ahead]), count(...changes([1, 1], [2, 2], [3, 1])));
    const moved = run(
      create([ahead]),
      count(...changes([1, 1], [2, 2], [3, 1])),
      amend({ plan: plan(inAdvance) }),
    );
    expect(invoicesOf(counted)).toEqual([['1: 20.00']]);
    expect(invoicesOf(moved).at(-1)).toEqual(['1: -10.00', '1: 14.00']);
  });

  it('keeps paid seats that were freed', () => {
    const history = run(
      create([inAdvance, ahead], { licenses: editors(2) }),
      count(...changes([0, 1], [0, 2], [7, 1])),
      amend({ removePrices: ['ahead'] }, { at: day(14) }),
    );
    expect(invoicesOf(history).at(-1)).toEqual(['1: -10.00']);
    expect(seatsOf(history)).toEqual(['2']);
  });

  it('at the end of a period begins the next one with the active licenses', () => {
    const scheduled: SubscriptionCommand = {
      ...amend({ removePrices: ['ahead'] }, { at: day(10) }),
      type: 'ScheduleAmendment',
      effectiveAt: 'period_end',
    };
    const history = run(
      create([inAdvance, ahead], { licenses: editors(2) }),
      count(...changes([0, 1], [0, 2], [7, 1])),
      scheduled,
      pass(B1),
    );
    expect(invoicesOf(history).at(-1)).toEqual(['1: 28.00']);
    expect(given(...history).state()!.period.start).toBe(B1);
  });

  it('that restarts the periods begins with the active licenses', () => {
    const history = run(
      create([inAdvance], { licenses: editors(2) }),
      count(...changes([0, 1], [0, 2], [7, 1])),
      amend({ plan: plan(ofAYear) }, { at: day(14) }),
    );
    expect(invoicesOf(history).at(-1)).toEqual(['2: -28.00', '1: 28.00']);
  });

  it('cannot set the seats', () => {
    given()
      .when(create([inAdvance], { quantities: { advance: '5' } }))
      .refused('validation_failed', 'quantities');
    const before = run(create([inAdvance]));
    given(...before)
      .when(amend({ quantities: { advance: '5' } }))
      .refused('validation_failed', 'quantities');
    const later = {
      kind: 'amend',
      prorate: true,
      effectiveAt: B1,
      at: day(1),
      amendmentId: 'amd_1',
    } as const;
    const change = { plan: null, addPrices: [], removePrices: [], quantities: { advance: '5' } };
    given(...before)
      .when({ type: 'ScheduleAmendment', subscriptionId, ...later, change })
      .refused('validation_failed', 'quantities');
  });
});

describe('seats of an early version, which were set by hand', () => {
  const [event] = run(create([inAdvance])) as [Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>];
  const { data } = event;
  const early: SubscriptionEvent = {
    ...event,
    data: { ...data, items: [{ ...data.items[0]!, quantity: '5', since: B1 }] },
  };

  it('stay until a license of the type is allocated', () => {
    const renewed = given(early).when(pass(B1)).events();
    expect(invoicesOf(renewed)).toEqual([['5: 140.00']]);
    const other = given(early)
      .when(count(...changes([1, 1, 'viewer'])))
      .events();
    expect(seatsOf([early, ...other])).toEqual(['5']);
  });

  it('are the active licenses from the next period on', () => {
    const counted = given(early)
      .when(count(...changes([1, 1])))
      .events();
    const renewed = given(early, ...counted)
      .when(pass(B1))
      .events();
    expect(invoicesOf([...counted, ...renewed])).toEqual([['1: 28.00']]);
  });
});
