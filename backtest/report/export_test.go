package report

// StrategyTOML is tested by reading what it writes.
var StrategyTOML = strategyTOML
