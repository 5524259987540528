import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { {{Names}}Module } from '#libs/contexts/{{folder}}';
import { {{Names}}ReadModule } from '#projections/{{folder}}';
import { {{Names}}Controller } from './{{folder}}.controller.js';

@Module({
  imports: [CqrsModule, {{Names}}Module, {{Names}}ReadModule],
  controllers: [{{Names}}Controller],
})
export class {{Names}}ApiModule {}
