import { describe, expect, it } from '@jest/globals';
import { decodeTime } from 'ulid';
import { followUpContext, idFor, systemContext } from './context.js';

const of = (idTime?: string) =>
  systemContext({
    workspaceId: 'acc_1',
    now: '2026-05-01T00:00:00.000Z',
    process: 'p',
    commandId: 'c',
    idTime,
  });

describe('the id of what a command creates', () => {
  it('is a ULID of the instant of the command, and of those that follow from it, whenever it runs', () => {
    const at = '2026-02-01T00:00:00.123Z';
    const context = of(at);
    const id = idFor(context, 'cn', 'inv_1');
    const later = { ...context, now: '2026-06-01T00:00:00.000Z' };
    expect(idFor(later, 'cn', 'inv_1')).toBe(id);
    for (const made of [id, idFor(followUpContext(context, 'part'), 'cn')])
      expect(decodeTime(made.slice(3))).toBe(Date.parse(at));
  });

  it('is that of earlier versions if the instant is not known', () => {
    expect(idFor(of(), 'cn', 'inv_1')).toBe('cn_PAJ6YHG4Q8A0JXAKWZ9N48XDVY');
  });
});
