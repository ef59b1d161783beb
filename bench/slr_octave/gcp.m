function p = gcp(varargin)
% There is no pool of workers.
  p = [];
end
