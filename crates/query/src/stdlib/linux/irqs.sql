-- Interrupts.

-- Interrupts of devices.
CREATE PERFETTO VIEW linux_hard_irqs(
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- Its name.
  name STRING,
  -- The slice.
  id JOINID(slice.id),
  -- The interrupt that it interrupted, if it did.
  parent_id JOINID(slice.id)
)
AS
SELECT ts, dur, name, id, parent_id
FROM slice
WHERE track_id IN (SELECT id FROM track WHERE type = 'cpu_irq');

-- Soft interrupts: work that interrupts leave for later.
CREATE PERFETTO VIEW linux_soft_irqs(
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- Its name.
  name STRING,
  -- The slice.
  id JOINID(slice.id)
)
AS
SELECT ts, dur, name, id
FROM slice
WHERE track_id IN (SELECT id FROM track WHERE type = 'cpu_softirq');

-- Both.
CREATE PERFETTO VIEW linux_irqs(
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- Its name.
  name STRING,
  -- The slice.
  id JOINID(slice.id),
  -- The interrupt that it interrupted, if it did.
  parent_id JOINID(slice.id),
  -- Whether it is a soft interrupt.
  is_soft_irq BOOL
)
AS
SELECT ts, dur, name, id, parent_id, 0 AS is_soft_irq FROM linux_hard_irqs
UNION ALL
SELECT ts, dur, name, id, NULL, 1 FROM linux_soft_irqs;

-- The names of interrupts.
CREATE PERFETTO VIEW linux_interrupt_mapping(
  -- The row.
  id ID,
  -- The number of the interrupt.
  irq_id LONG,
  -- Its name.
  name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
)
AS
SELECT id, irq_id, name, machine_id
FROM _linux_interrupt_mapping;
