"""What decides before an agent ships: the red-team pack and the gate. The only place that fails closed."""
