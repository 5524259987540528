import { describe, expect, it } from '@jest/globals';
import { requireWithinPreviewLimit } from './migration-previewer.js';

describe('a preview of a price migration', () => {
  it('is of at most ten thousand subscriptions, which one answer holds', () => {
    expect(() => requireWithinPreviewLimit(10_000)).not.toThrow();
    expect(() => requireWithinPreviewLimit(10_001)).toThrow(
      expect.objectContaining({ code: 'too_many_subscriptions', message: expect.stringContaining('10001') }),
    );
  });
});
