import { describe, expect, it } from '@jest/globals';
import { Random } from './random.ts';

const draw = (random: Random) => Array.from({ length: 20 }, () => random.int(1, 6));

describe('Random', () => {
  it('comes out the same for the same seed, and differently for another', () => {
    expect(draw(new Random('1'))).toEqual(draw(new Random('1')));
    expect(draw(new Random('1'))).not.toEqual(draw(new Random('2')));
  });

  it('gives each part its own chance, which does not depend on what the others drew', () => {
    const whole = new Random('1');
    const before = draw(whole.of('part'));
    draw(whole);
    expect(draw(whole.of('part'))).toEqual(before);
    expect(draw(whole.of('other'))).not.toEqual(before);
  });

  it('stays within its bounds and reaches them', () => {
    const random = new Random('bounds');
    const drawn = new Set(Array.from({ length: 500 }, () => random.int(1, 6)));
    expect([...drawn].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect([random.chance(0), random.chance(1)]).toEqual([false, true]);
  });

  it('shuffles without losing anything', () => {
    const items = Array.from({ length: 30 }, (_, index) => index);
    const shuffled = new Random('1').shuffled(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
  });
});
