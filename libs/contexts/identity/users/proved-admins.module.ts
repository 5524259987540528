import { Module } from '@nestjs/common';
import { ProvedAdmins } from './proved-admins.js';

/** Provides {@link ProvedAdmins} to the API and to other programs. Only the API uses the whole `IdentityModule`, with sign-in. */
@Module({ providers: [ProvedAdmins], exports: [ProvedAdmins] })
export class ProvedAdminsModule {}
