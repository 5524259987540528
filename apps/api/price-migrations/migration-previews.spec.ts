import { describe, expect, it } from '@jest/globals';
import { requirePreviewSize } from './migration-previews.js';

describe('a preview of a price migration', () => {
  it('is of at most ten thousand subscriptions, which one answer holds', () => {
    expect(() => requirePreviewSize(10_000)).not.toThrow();
    expect(() => requirePreviewSize(10_001)).toThrow(
      expect.objectContaining({ code: 'too_many_subscriptions', message: expect.stringContaining('10001') }),
    );
  });
});
