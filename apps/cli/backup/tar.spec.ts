import { describe, expect, it } from '@jest/globals';
import { isEndOfTar, paddingOf, readTarHeader, tarHeader, TAR_BLOCK } from './tar.js';

describe('a header of a tar archive', () => {
  it.each([0, 1, 8 * 2 ** 30 - 1, 8 * 2 ** 30, 5 * 2 ** 40])('keeps a size of %d bytes', (size) => {
    const header = tarHeader({ name: 'tables/usage.events.gz', size }, 1_700_000_000);
    expect(header).toHaveLength(TAR_BLOCK);
    expect(readTarHeader(header)).toEqual({ name: 'tables/usage.events.gz', size });
  });

  it('is invalid if any byte was changed', () => {
    const header = tarHeader({ name: 'manifest.json', size: 7 }, 1_700_000_000);
    for (let at = 0; at < TAR_BLOCK; at++) {
      // The checksum ends with a zero byte and a space, which are not checked.
      if (at >= 154 && at < 156) continue;
      const changed = Buffer.from(header);
      changed[at]! ^= 1;
      expect([at, readTarHeader(changed)]).toEqual([at, undefined]);
    }
  });

  it.each(['-0000001000', '        100', '77777777779'])('is invalid with %j as its size', (digits) => {
    const header = tarHeader({ name: 'manifest.json', size: 7 }, 1_700_000_000);
    header.write(digits, 124, 11);
    header.fill(' ', 148, 156);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    expect(readTarHeader(header)).toBeUndefined();
  });

  it('is invalid if all bytes are zero, which is the end of an archive', () => {
    expect(isEndOfTar(Buffer.alloc(TAR_BLOCK))).toBe(true);
    expect(readTarHeader(Buffer.alloc(TAR_BLOCK))).toBeUndefined();
    expect(isEndOfTar(tarHeader({ name: 'a', size: 0 }, 0))).toBe(false);
  });
});

describe('paddingOf', () => {
  it('fills a block', () => {
    expect([0, 1, 511, 512, 513].map(paddingOf)).toEqual([0, 511, 1, 0, 511]);
  });
});
