import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { WorkspaceEvent } from './events.js';
import { workspaceDecider } from './workspace.js';

const details: WorkspaceEvent['data'] = {
  workspaceId: 'acc_1',
  name: null,
  mode: 'sandbox',
  at: '2026-01-01T00:00:00.000Z',
};
const created: WorkspaceEvent = { type: 'WorkspaceCreated', data: details };
const { given } = decide(workspaceDecider);

describe('a workspace', () => {
  it('is created once', () => {
    given()
      .when({ type: 'CreateWorkspace', ...details })
      .then(created);
    given(created)
      .when({ type: 'CreateWorkspace', ...details })
      .then();
    expect(given(created).state()).toEqual(details);
  });
});
