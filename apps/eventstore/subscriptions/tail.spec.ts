import { describe, expect, it } from '@jest/globals';
import type { LogEvent } from '../streams/events.js';
import { Tail } from './tail.js';

const event = (position: number, bytes = 0): LogEvent => ({
  position,
  stream: 's',
  revision: position,
  id: `${position}`,
  type: 'T',
  isJson: false,
  createdMicros: 0,
  data: new Uint8Array(bytes),
  metadata: new Uint8Array(0),
});
const events = (from: number, to: number, bytes = 0): LogEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index, bytes));
const positions = (found: LogEvent[]): number[] => found.map(({ position }) => position);

describe('the tail of the log', () => {
  it('reaches only events that are committed after its start', () => {
    const tail = new Tail(10);
    expect(tail.lastPosition).toBe(10);
    expect(tail.coversEventsAfter(9)).toBe(false);
    expect(tail.coversEventsAfter(10)).toBe(true);
    expect(tail.eventsAfter(10, 5)).toEqual([]);
    tail.publish(events(11, 13));
    expect(positions(tail.eventsAfter(10, 5))).toEqual([11, 12, 13]);
    expect(positions(tail.eventsAfter(11, 1))).toEqual([12]);
  });

  it('refuses a gap', () => {
    const tail = new Tail(10);
    expect(() => tail.publish([event(12)])).toThrow('Position 12 was published after 10');
  });

  it('drops the oldest events when there are too many, and says so', () => {
    const tail = new Tail(0);
    tail.publish(events(1, 9_000));
    const dropped = 9_000 - 8_192;
    expect(tail.coversEventsAfter(dropped - 1)).toBe(false);
    expect(tail.coversEventsAfter(dropped)).toBe(true);
    expect(positions(tail.eventsAfter(dropped, 2))).toEqual([dropped + 1, dropped + 2]);
    expect(positions(tail.eventsAfter(8_998, 10))).toEqual([8_999, 9_000]);
  });

  it('drops the oldest events when they are too large, but never the last', () => {
    const tail = new Tail(0);
    tail.publish(events(1, 100, 1024 * 1024));
    expect(tail.coversEventsAfter(100 - 33)).toBe(false);
    expect(tail.coversEventsAfter(100 - 32)).toBe(true);
    tail.publish([event(101, 64 * 1024 * 1024)]);
    expect(tail.coversEventsAfter(99)).toBe(false);
    expect(positions(tail.eventsAfter(100, 10))).toEqual([101]);
  });

  it('tells listeners of each commit until they stop listening', () => {
    const tail = new Tail(0);
    let heard = 0;
    const stop = tail.listen(() => (heard += 1));
    tail.publish(events(1, 2));
    tail.publish(events(3, 3));
    stop();
    tail.publish(events(4, 4));
    expect(heard).toBe(2);
  });
});
