import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHART_OF_ACCOUNTS, NO_POSTINGS } from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';

const page = readFileSync(join(import.meta.dirname, '../../docs/ledger.md'), 'utf8');

describe('the page on the ledger', () => {
  it('lists the chart of accounts', () => {
    const rows = [
      ...page.matchAll(/^\| (\d{4}) +\| `(\w+)` \((.+?)\) +\| (\w+) +\| (no|price|tax rate) +\|/gm),
    ];
    expect(
      rows.map(([, number, code, name, type, dividedBy]) => [
        code,
        { number, name, type, dividedBy: dividedBy === 'no' ? null : dividedBy },
      ]),
    ).toEqual(Object.entries(CHART_OF_ACCOUNTS));
  });

  it('lists every event that the ledger hears of', () => {
    const events = [...page.matchAll(/^\| `([A-Z]\w+)` +\|/gm)].map(([, type]) => type!);
    const posted = [...postingRules()].filter(([, rule]) => rule !== NO_POSTINGS);
    expect(events.toSorted()).toEqual(posted.map(([type]) => type).toSorted());
  });
});
