import { jest } from '@jest/globals';
import { AuditAnchorer } from '#libs/contexts/audit';
import type { System } from './system.js';

/**
 * Keeps the saga from anchoring the audit trail once a minute, and returns a function that anchors it. So a test that counts events has no
 * anchor that came by itself. Restoring the mocks ends this.
 */
export function holdAnchors({ saga }: Pick<System, 'saga'>): () => Promise<void> {
  const anchorer = saga.get(AuditAnchorer, { strict: false });
  const anchor = anchorer.anchor.bind(anchorer);
  jest.spyOn(anchorer, 'anchor').mockResolvedValue();
  return () => anchor(new AbortController().signal);
}
