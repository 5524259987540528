import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Conflict } from '#libs/kernel/core';
import { newId, systemClock } from '#libs/kernel/system';
import { commandContextOfUser } from '../command-context-of-user.js';
import type { User } from '../entities/user.entity.js';
import { AddressReleaser } from './address-releaser.js';
import { markAddressProved } from './mark-address-proved.js';
import { Registrations } from './registrations.js';

/** The user of a proof, and the aggregates that the proof has changed. */
export interface ProvedUser {
  readonly user: User;
  readonly changed: string[];
  /** Whether the person began with a new user and a new sandbox. */
  readonly isNew: boolean;
}

/**
 * Records the first proof that somebody reads mail at an address. Anybody can have registered the address, so nothing that the registration
 * left may reach the person who proved it.
 */
@Injectable()
export class FirstProofs {
  constructor(
    private readonly releaser: AddressReleaser,
    private readonly registrations: Registrations,
  ) {}

  /**
   * Records that the person who opened a link has the address of the user, in the transaction of `manager`, which has locked the user. A
   * registrant, who also knows the password of the registration, keeps everything. Anybody else gets a new user in a new sandbox, and the
   * user of the registration loses the address, as {@link AddressReleaser} says. Does nothing after the first proof. The caller must
   * deliver the events after the commit.
   *
   * @param passwordHash of the new user; null for a user without a password
   */
  async record(
    manager: EntityManager,
    user: User,
    by: { readonly isRegistrant: boolean; readonly passwordHash: string | null },
    correlationId: string,
  ): Promise<ProvedUser> {
    if (user.addressProvedAt !== null) return { user, changed: [], isNew: false };
    if (by.isRegistrant) {
      await markAddressProved(manager, user.id);
      return { user, changed: [], isNew: false };
    }
    const released = (await this.releaser.release(manager, user, correlationId)) ?? [];
    const now = systemClock.now();
    const anew: User = {
      id: newId('usr'),
      workspaceId: newId('acc'),
      email: user.email,
      name: user.name,
      passwordHash: by.passwordHash,
      role: 'admin',
      status: 'active',
      addressProvedAt: now,
      createdAt: now,
    };
    // The new workspace and its clock do not exist yet, so the time is the machine's.
    const context = commandContextOfUser(anew, correlationId, now);
    const stored = await this.registrations.store(manager, anew, null, context);
    if (!stored)
      throw new Conflict(
        'email_taken',
        'Another request took this e-mail address just now; open the link again',
      );
    return { user: anew, changed: [...stored, ...released], isNew: true };
  }
}
