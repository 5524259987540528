import { Module } from '@nestjs/common';
import { SandboxTime } from '#libs/saga';
import { SandboxController } from './sandbox.controller.js';

@Module({ controllers: [SandboxController], providers: [SandboxTime] })
export class SandboxApiModule {}
