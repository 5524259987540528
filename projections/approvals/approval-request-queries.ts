import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { ApprovalAction, ApprovalRequest, ApprovalStatus } from '#libs/contexts/approvals';
import { SnapshotQueries } from '#libs/kernel/projection';
import { ApprovalRequestRow } from './approval-request-row.js';

/** The requests to list. If a field is absent, requests are not filtered by it. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus;
  readonly action?: ApprovalAction;
}

/** Reads approval requests, most recent first. */
@Injectable()
export class ApprovalRequestQueries extends SnapshotQueries<
  ApprovalRequestRow,
  ApprovalRequest,
  ApprovalFilter
> {
  constructor(@InjectRepository(ApprovalRequestRow) rows: Repository<ApprovalRequestRow>) {
    super(rows, {
      resource: 'approval request',
      conditions: ({ status, action }) => ({ ...(status ? { status } : {}), ...(action ? { action } : {}) }),
      newestFirst: true,
      shownOf: ({ state }) => state,
    });
  }
}
